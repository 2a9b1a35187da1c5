//! Programs of any size, as guarded commands and as Promela: the same states, step for step.

/// One program in both languages.
#[derive(Clone, Debug)]
pub struct Pair {
    /// What it is called.
    pub name: String,
    /// As guarded commands.
    pub gcl: String,
    /// As Promela.
    pub promela: String,
}

/// A token goes round; its holder works a little and passes it on.
#[must_use]
pub fn token_ring(stations: usize, work: usize) -> Pair {
    let last = stations - 1;
    Pair {
        name: format!("token ring {stations}/{work}"),
        gcl: format!(
            "system ring\nvar token : 0..{last} = 0\nvar done : array[0..{last}] of 0..{work} = 0\n\
             process P[i : 0..{last}] {{\n  loop {{\n    await token = i;\n    choose {{ when done[i] < {work} do done[i] := done[i] + 1; }}\n    \
             or {{ when done[i] = {work} do done[i] := 0; }} or {{ skip; }}\n    token := (i + 1) mod {stations};\n  }}\n}}\n"
        ),
        promela: format!(
            "byte token = 0;\nbyte done[{stations}];\nactive [{stations}] proctype P() {{\n  do :: token == _pid ->\n    \
             if :: atomic {{ done[_pid] < {work} -> done[_pid] = done[_pid] + 1 }} :: atomic {{ done[_pid] == {work} -> done[_pid] = 0 }} :: skip fi;\n    \
             token = (_pid + 1) % {stations}\n  od\n}}\n"
        ),
    }
}

/// Philosophers who take the left fork, then the right one; the last one the other way round.
#[must_use]
pub fn philosophers(count: usize) -> Pair {
    let last = count - 1;
    Pair {
        name: format!("philosophers {count}"),
        gcl: format!(
            "system philosophers\nvar fork : array[0..{last}] of bool = false\n\
             process P[i : 0..{last}] {{\n  loop {{\n    when !fork[i] do fork[i] := true;\n    \
             when !fork[(i + 1) mod {count}] do fork[(i + 1) mod {count}] := true;\n    fork[i] := false;\n    \
             fork[(i + 1) mod {count}] := false;\n  }}\n}}\n"
        ),
        promela: format!(
            "bool fork[{count}];\nactive [{count}] proctype P() {{\n  do :: atomic {{ !fork[_pid] -> fork[_pid] = true }};\n    \
             atomic {{ !fork[(_pid+1)%{count}] -> fork[(_pid+1)%{count}] = true }};\n    fork[_pid] = false;\n    \
             fork[(_pid+1)%{count}] = false\n  od\n}}\n"
        ),
    }
}

/// Producers put numbers into a ring buffer, consumers add them up.
#[must_use]
pub fn bounded_buffer(producers: usize, consumers: usize, places: usize, values: usize) -> Pair {
    let (last_place, last_value) = (places - 1, values - 1);
    Pair {
        name: format!("buffer {producers}+{consumers}/{places}/{values}"),
        gcl: format!(
            "system buffer\nvar cell : array[0..{last_place}] of 0..{last_value} = 0\nvar used : 0..{places} = 0\nvar first : 0..{last_place} = 0\n\
             process Producer[i : 1..{producers}] {{\n  var item : 0..{last_value} = 0\n  loop {{\n    item := (item + i) mod {values};\n    \
             when used < {places} do cell[(first + used) mod {places}], used := item, used + 1;\n  }}\n}}\n\
             process Consumer[i : 1..{consumers}] {{\n  var got : 0..{last_value} = 0\n  loop {{\n    \
             when used > 0 do got, used, first := cell[first], used - 1, (first + 1) mod {places};\n    got := 0;\n  }}\n}}\n"
        ),
        promela: format!(
            "byte cell[{places}]; byte used = 0; byte first = 0;\n\
             active [{producers}] proctype Producer() {{ byte item = 0;\n  do :: item = (item + _pid + 1) % {values};\n    \
             atomic {{ used < {places} -> cell[(first + used) % {places}] = item; used++ }}\n  od }}\n\
             active [{consumers}] proctype Consumer() {{ byte got = 0;\n  do :: atomic {{ used > 0 -> got = cell[first]; used--; first = (first + 1) % {places} }};\n    \
             got = 0\n  od }}\n"
        ),
    }
}

/// Clients ask for units of a resource one by one and give all of them back.
#[must_use]
pub fn allocation(clients: usize, units: usize, most: usize) -> Pair {
    Pair {
        name: format!("allocation {clients}/{units}/{most}"),
        gcl: format!(
            "system allocation\nvar free : 0..{units} = {units}\n\
             process Client[i : 1..{clients}] {{\n  var held : 0..{most} = 0\n  loop {{\n    choose {{ when free > 0 && held < {most} do free, held := free - 1, held + 1; }}\n    \
             or {{ await held > 0; free, held := free + held, 0; }}\n  }}\n}}\n"
        ),
        promela: format!(
            "byte free = {units};\nactive [{clients}] proctype Client() {{ byte held = 0;\n  do :: atomic {{ free > 0 && held < {most} -> free--; held++ }}\n    \
             :: held > 0 -> atomic {{ free = free + held; held = 0 }}\n  od }}\n"
        ),
    }
}
