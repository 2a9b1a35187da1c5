//! The models: families of synchronous systems in SMV, as users write them.

use std::fmt::Write as _;

/// All models with their names, smallest first in each family.
pub(super) fn models() -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut family = |name: &str, sizes: &[usize], text: fn(usize) -> String| {
        found.extend(sizes.iter().map(|&size| (format!("{name} {size}"), text(size))));
    };
    family("arbiter", &[10, 20, 40], arbiter);
    family("shift register", &[16, 64, 256], shift_register);
    family("counter", &[8, 12, 16], counter);
    family("pipeline", &[4, 8, 20], pipeline);
    family("alternating bit", &[4, 16, 256], alternating_bit);
    family("queue", &[4, 8, 16], queue);
    family("caches on a bus", &[2, 4, 6], caches);
    family("snooping caches", &[2, 3, 4], snooping);
    family("elevator", &[4, 8, 12], elevator);
    family("ring of gates", &[2, 3], gates);
    let fixed = [
        ("caches on two buses", include_str!("../../../corpus/smv/large/cache_bus.smv")),
        ("write transactions", include_str!("../../../corpus/smv/large/write_transactions.smv")),
        ("production cell", include_str!("../../../corpus/smv/large/production_cell.smv")),
        ("bus arbiter", include_str!("../../../corpus/smv/bus_arbiter.smv")),
        ("bus devices", include_str!("../../../corpus/smv/bus_devices.smv")),
        ("robot", include_str!("../../../corpus/smv/robot.smv")),
        ("one variable", "MODULE main\nVAR b : boolean;\nASSIGN next(b) := !b;\nSPEC AG EF b\n"),
    ];
    found.extend(fixed.map(|(name, text)| (name.to_owned(), text.to_owned())));
    found
}

/// McMillan's arbiter: a token goes round; who has had it and still asks comes first.
fn arbiter(cells: usize) -> String {
    let mut text = "MODULE cell(token_in, override_in, grant_in, request, first)
VAR token : boolean; persistent : boolean;
DEFINE
  override_out := override_in | (token & persistent);
  grant_out := !request & grant_in;
  ack := request & ((token & persistent) | grant_in);
ASSIGN
  init(token) := first; next(token) := token_in;
  init(persistent) := FALSE; next(persistent) := request & (persistent | token);
MODULE main
VAR
"
    .to_owned();
    for at in 0..cells {
        let _ = writeln!(text, "  r{at} : boolean;");
    }
    for at in 0..cells {
        let token = format!("e{}.token", (at + cells - 1) % cells);
        let over = if at + 1 == cells { "FALSE".to_owned() } else { format!("e{}.override_out", at + 1) };
        let grant = if at == 0 { "!e0.override_out".to_owned() } else { format!("e{}.grant_out", at - 1) };
        let first = if at == 0 { "TRUE" } else { "FALSE" };
        let _ = writeln!(text, "  e{at} : cell({token}, {over}, {grant}, r{at}, {first});");
    }
    let apart: Vec<String> = (1..cells).flat_map(|a| (0..a).map(move |b| format!("!(e{a}.ack & e{b}.ack)"))).collect();
    let _ = writeln!(text, "SPEC AG ({})\nSPEC AG (e0.ack -> r0)\nSPEC AG AF (r0 -> e0.ack)", apart.join(" & "));
    // One that is false has a run.
    let _ = writeln!(text, "SPEC AF e1.ack\nLTLSPEC G F e0.ack");
    text
}

fn shift_register(bits: usize) -> String {
    let mut text = "MODULE main\nVAR input : boolean;\n".to_owned();
    for at in 0..bits {
        let _ = writeln!(text, "  b{at} : boolean;");
    }
    text.push_str("ASSIGN next(b0) := input; init(b0) := FALSE;\n");
    for at in 1..bits {
        let _ = writeln!(text, "  init(b{at}) := FALSE; next(b{at}) := b{};", at - 1);
    }
    let _ = writeln!(text, "SPEC AG (b0 -> AX b1)\nSPEC AG EF b{0}\nLTLSPEC G (input -> F b{0})", bits - 1);
    text
}

fn counter(bits: usize) -> String {
    let mut text =
        "MODULE cell(carry)\nVAR value : boolean;\nASSIGN init(value) := FALSE; next(value) := value xor carry;\n\
        DEFINE out := value & carry;\nMODULE main\nVAR\n  b0 : cell(TRUE);\n"
            .to_owned();
    for at in 1..bits {
        let _ = writeln!(text, "  b{at} : cell(b{}.out);", at - 1);
    }
    let _ = writeln!(text, "SPEC AG EF b{0}.out\nINVARSPEC b{0}.out -> b0.value", bits - 1);
    text
}

fn pipeline(stages: usize) -> String {
    let mut text = "MODULE stage(valid_in, data_in, stall)
VAR valid : boolean; data : 0..3;
ASSIGN
  init(valid) := FALSE; next(valid) := case stall : valid; TRUE : valid_in; esac;
  init(data) := 0; next(data) := case stall : data; TRUE : data_in; esac;
MODULE main
VAR stall : boolean; input : boolean; data : 0..3;
  s0 : stage(input, data, stall);
"
    .to_owned();
    for at in 1..stages {
        let _ = writeln!(text, "  s{at} : stage(s{0}.valid, s{0}.data, stall);", at - 1);
    }
    let _ =
        writeln!(text, "FAIRNESS !stall\nSPEC AG (s0.valid -> AF s{0}.valid)\nSPEC AG EF s{0}.data = 3", stages - 1);
    text
}

/// The alternating bit protocol of the corpus with this many messages.
fn alternating_bit(messages: usize) -> String {
    include_str!("../../../corpus/smv/abp_bits.smv").replace("0..3", &format!("0..{}", messages - 1))
}

/// A first-in, first-out queue of `places` words with as many values: pointers, a memory, and what is put in or taken out by choice.
fn queue(places: usize) -> String {
    let last = places - 1;
    let mut text = format!(
        "MODULE place(number, tail, put, item)
VAR value : 0..{last};
ASSIGN
  init(value) := 0;
  next(value) := case put & tail = number : item; TRUE : value; esac;
MODULE main
VAR
  put-wish : boolean; take-wish : boolean; item : 0..{last};
  head : 0..{last}; tail : 0..{last}; used : 0..{places};
"
    );
    for at in 0..places {
        let _ = writeln!(text, "  p{at} : place({at}, tail, put, item);");
    }
    let front: Vec<String> = (0..places).map(|at| format!("head = {at} : p{at}.value;")).collect();
    let _ = writeln!(
        text,
        "DEFINE
  full := used = {places}; empty := used = 0; put := put-wish & !full; take := take-wish & !empty;
  front := case {} esac;
ASSIGN
  init(head) := 0; next(head) := case take : (head + 1) mod {places}; TRUE : head; esac;
  init(tail) := 0; next(tail) := case put : (tail + 1) mod {places}; TRUE : tail; esac;
  init(used) := 0;
  next(used) := case put & !take : used + 1; take & !put & used > 0 : used - 1; TRUE : used; esac;
FAIRNESS take-wish
SPEC AG (used = 0 -> head = tail)
SPEC AG EF full
SPEC AG (full -> AF !full)
SPEC AG AF !full
SPEC AG (empty & put & item = {last} -> AX front = {last})",
        front.join(" ")
    );
    text
}

/// Caches on one bus: whose turn it is is chosen, and every device may stall what is asked.
fn caches(count: usize) -> String {
    let devices = include_str!("../../../corpus/smv/large/cache_bus.smv");
    let devices = devices.split("MODULE cluster").next().unwrap_or_default();
    let all: Vec<String> = (0..count).map(|at| format!("p{at}")).collect();
    let of = |part: &str| all.iter().map(|name| format!("{name}.{part}")).collect::<Vec<_>>().join(" | ");
    let mut text = devices.to_owned();
    text.push_str("MODULE main\nVAR\n");
    for name in &all {
        let _ = writeln!(text, "  {name} : processor(CMD, REPLY-OWNED, REPLY-WAITING, REPLY-STALL);");
    }
    let commands: Vec<String> = all.iter().map(|name| format!("{name}.master : {name}.cmd;")).collect();
    let _ = writeln!(
        text,
        "  m : memory(CMD, REPLY-OWNED, REPLY-WAITING, REPLY-STALL);
DEFINE
  REPLY-OWNED := {};
  REPLY-WAITING := {};
  REPLY-STALL := {} | m.reply-stall;
  CMD := case {} m.master : m.cmd; TRUE : idle; esac;
ASSIGN
  p0.master := {{TRUE, FALSE}};",
        of("reply-owned"),
        of("reply-waiting"),
        of("reply-stall"),
        commands.join(" ")
    );
    for at in 1..=count {
        let name = all.get(at).map_or("m", String::as_str);
        let before: Vec<String> = all[..at].iter().map(|name| format!("{name}.master")).collect();
        let _ = writeln!(text, "  {name}.master := case {} : FALSE; TRUE : {{TRUE, FALSE}}; esac;", before.join(" | "));
    }
    text.push_str(
        "FAIRNESS !REPLY-STALL\nFAIRNESS p0.master\nFAIRNESS p1.master\nFAIRNESS m.master
SPEC AG EF p0.readable
SPEC AG EF p0.writable
SPEC AG !(p0.writable & p1.writable)
SPEC AG !(p0.writable & p1.readable)
SPEC EF (p0.readable & p1.readable)\n",
    );
    text
}

/// Caches of three states (modified, shared, invalid) for two lines each; the bus goes round, and a memory keeps one bit of each line.
fn snooping(count: usize) -> String {
    let mut text = format!(
        "MODULE line(granted, mine, bus-read, bus-write, seen, value)
VAR state : {{modified, shared, invalid}}; data : boolean;
ASSIGN
  init(state) := invalid;
  next(state) := case
      granted & mine = write : modified;
      granted & mine = read & state = invalid : shared;
      granted & mine = evict : invalid;
      !granted & bus-write : invalid;
      !granted & bus-read & state = modified : shared;
      TRUE : state;
    esac;
  init(data) := FALSE;
  next(data) := case
      granted & mine = write : value;
      granted & mine = read & state = invalid : seen;
      TRUE : data;
    esac;
MODULE cache(granted, read0, write0, read1, write1, seen0, seen1)
VAR
  command : {{none, read, write, evict}}; line : 0..1; value : boolean;
  l0 : line(granted & line = 0, command, read0, write0, seen0, value);
  l1 : line(granted & line = 1, command, read1, write1, seen1, value);
MODULE main
VAR turn : 0..{}; memory0 : boolean; memory1 : boolean;
",
        count - 1
    );
    for at in 0..count {
        let _ = writeln!(text, "  c{at} : cache(turn = {at}, read0, write0, read1, write1, seen0, seen1);");
    }
    let any = |condition: &dyn Fn(usize) -> String| (0..count).map(condition).collect::<Vec<_>>().join(" | ");
    text.push_str("DEFINE\n");
    for line in 0..2 {
        for command in ["read", "write"] {
            let asks = any(&|at| format!("(turn = {at} & c{at}.line = {line} & c{at}.command = {command})"));
            let _ = writeln!(text, "  {command}{line} := {asks};");
        }
        let held = any(&|at| format!("(c{at}.l{line}.state = modified & c{at}.l{line}.data)"));
        let dirty = any(&|at| format!("c{at}.l{line}.state = modified"));
        let _ = writeln!(
            text,
            "  dirty{line} := {dirty};\n  seen{line} := case dirty{line} : {held}; TRUE : memory{line}; esac;"
        );
    }
    text.push_str("ASSIGN\n  init(turn) := 0;\n");
    let _ = writeln!(text, "  next(turn) := (turn + 1) mod {count};");
    for line in 0..2 {
        let _ = writeln!(text, "  init(memory{line}) := FALSE; next(memory{line}) := seen{line};");
    }
    let _ = writeln!(
        text,
        "FAIRNESS c0.command = write & c0.line = 0 & turn = 0
SPEC AG !(c0.l0.state = modified & c1.l0.state != invalid)
SPEC AG (c0.l0.state = shared & c1.l0.state = shared -> (c0.l0.data <-> c1.l0.data))
SPEC AG EF c1.l1.state = modified
SPEC AG AF c0.l0.state = modified
SPEC AG (c1.l0.state = modified -> AF c1.l0.state != modified)
SPEC AF c1.l0.state = modified"
    );
    text
}

/// An elevator: calls on every floor, doors, and a cabin that goes on in its direction as long as somebody calls there.
fn elevator(floors: usize) -> String {
    let top = floors - 1;
    let calls = |range: std::ops::RangeInclusive<usize>| {
        let parts: Vec<String> = range.map(|at| format!("(floor < {at} & call{at})")).collect();
        parts.join(" | ")
    };
    let below: Vec<String> = (0..top).map(|at| format!("(floor > {at} & call{at})")).collect();
    let here: Vec<String> = (0..floors).map(|at| format!("(floor = {at} & call{at})")).collect();
    let mut text = format!(
        "MODULE button(number, floor, open)
VAR call : boolean; pressed : boolean;
ASSIGN
  init(call) := FALSE;
  next(call) := case floor = number & open : FALSE; pressed : TRUE; TRUE : call; esac;
MODULE main
VAR floor : 0..{top}; direction : {{up, down}}; open : boolean;
"
    );
    for at in 0..floors {
        let _ = writeln!(text, "  b{at} : button({at}, floor, open);");
    }
    text.push_str("DEFINE\n");
    for at in 0..floors {
        let _ = writeln!(text, "  call{at} := b{at}.call;");
    }
    let _ = writeln!(
        text,
        "  above := {};
  below := {};
  here := {};
ASSIGN
  init(floor) := 0;
  next(floor) := case
      open | here : floor;
      direction = up & above & floor < {top} : floor + 1;
      direction = down & below & floor > 0 : floor - 1;
      TRUE : floor;
    esac;
  init(direction) := up;
  next(direction) := case direction = up & !above : down; direction = down & !below : up; TRUE : direction; esac;
  init(open) := FALSE;
  next(open) := !open & here;
SPEC AG (call{top} -> AF (floor = {top} & open))
SPEC AG (open -> AX !open)
SPEC AG EF (floor = {top} & open)
INVARSPEC floor = 0 & open -> !above | call0 | TRUE
LTLSPEC G (call0 -> F (floor = 0 & open))
LTLSPEC G F !open",
        calls(1..=top),
        below.join(" | "),
        here.join(" | ")
    );
    text
}

/// Distributed mutual exclusion by gates with any delay: cells pass a token round; each gate is a process.
fn gates(cells: usize) -> String {
    let parts = include_str!("../../../corpus/smv/large/token_ring_gates.smv");
    let mut text = parts.split("MODULE main").next().unwrap_or_default().to_owned();
    text.push_str("MODULE main\nVAR\n");
    for at in 0..cells {
        let (left, right) = ((at + cells - 1) % cells, (at + 1) % cells);
        let first = if at == 0 { "TRUE" } else { "FALSE" };
        let _ = writeln!(text, "  c{at} : cell(c{left}, c{right}, {first});");
    }
    text.push_str(
        "SPEC AG !(c0.grant.out & c1.grant.out)
SPEC AG (c0.u.req -> AF c0.grant.out)
SPEC AG EF c1.grant.out
LTLSPEC G F !c0.grant.out\n",
    );
    text
}
