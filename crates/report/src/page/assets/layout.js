// Where the states of a graph stand: in layers by distance from the start, so that the same graph always looks the same.

const BOX = { width: 178, height: 30, right: 60, down: 22, band: 46 };

/** Neighbours of every state, hyper edges included. */
function neighbours(graph) {
  const out = graph.states.map(() => []);
  const into = graph.states.map(() => []);
  const add = (from, to) => { out[from].push(to); into[to].push(from); };
  for (const [from, to] of graph.edges) add(from, to);
  for (const [from, members] of graph.hyper) members.forEach((to) => add(from, to));
  return { out, into };
}

/** The states nearest to `seeds`, at most `limit` of them unless the seeds are more. */
function near(links, seeds, limit) {
  const found = new Set(seeds);
  let edge = [...found];
  while (edge.length && found.size < limit) {
    const next = [];
    for (const state of edge) {
      for (const other of links.out[state].concat(links.into[state])) {
        if (found.size >= limit) break;
        if (!found.has(other)) { found.add(other); next.push(other); }
      }
    }
    edge = next;
  }
  return found;
}

/** Boxes are as wide as the longest name needs, within reason. */
function measureBoxes(graph, shown) {
  let [longest, lines] = [0, 1];
  for (const state of shown) {
    const parts = linesOf(graph.states[state]);
    lines = Math.max(lines, parts.length);
    for (const part of parts) longest = Math.max(longest, part.length);
  }
  BOX.width = Math.min(240, Math.max(64, longest * 7.1 + 34));
  BOX.height = 17 + 13 * lines;
}

/** A name in lines: places, values and predicates of an abstract state stand two blanks apart. */
function linesOf(name) {
  const parts = name.split('  ');
  return parts.length <= 3 ? parts : [...parts.slice(0, 2), parts.slice(2).join(' ')];
}

/** Positions for the states in `shown`: a Map from state to {x, y, layer}. */
function layers(graph, links, shown) {
  const layer = new Map();
  let edge = graph.init.filter((state) => shown.has(state));
  const rest = [...shown].sort((a, b) => a - b);
  let depth = 0;
  let next = 0;
  edge.forEach((state) => layer.set(state, 0));
  for (;;) {
    while (edge.length) {
      depth += 1;
      const found = [];
      for (const state of edge) {
        for (const to of links.out[state]) {
          if (shown.has(to) && !layer.has(to)) { layer.set(to, depth); found.push(to); }
        }
      }
      edge = found;
    }
    // What no shown step reaches begins again on the left.
    while (next < rest.length && layer.has(rest[next])) next += 1;
    if (next === rest.length) break;
    layer.set(rest[next], 0);
    edge = [rest[next]];
    depth = 0;
  }
  const columns = [];
  for (const state of rest) (columns[layer.get(state)] ||= []).push(state);
  order(columns, links, layer);
  return place(columns, layer);
}

/** Puts states of one layer near those that lead to them; a few sweeps are enough for a readable picture. */
function order(columns, links, layer) {
  const position = new Map();
  const number = (column) => column.forEach((state, at) => position.set(state, at));
  columns.forEach((column) => column && number(column));
  for (let sweep = 0; sweep < 6; sweep += 1) {
    const forward = sweep % 2 === 0;
    const depths = columns.map((_, at) => at);
    if (!forward) depths.reverse();
    for (const depth of depths) {
      const column = columns[depth];
      if (!column || column.length < 2) continue;
      const weight = new Map();
      for (const state of column) {
        const others = (forward ? links.into : links.out)[state].filter((other) => layer.get(other) === depth + (forward ? -1 : 1));
        const mean = others.length ? others.reduce((sum, other) => sum + position.get(other), 0) / others.length : position.get(state);
        weight.set(state, mean);
      }
      column.sort((a, b) => weight.get(a) - weight.get(b) || a - b);
      number(column);
    }
  }
}

/** How many layers stand side by side: a long, flat picture goes on below, like lines of a text. */
function folded(count, tallest) {
  const [width, height] = [BOX.width + BOX.right, tallest * (BOX.height + BOX.down) + BOX.band];
  if (count <= 6 || count * width < 3 * height) return count;
  const lines = Math.max(1, Math.round(Math.sqrt((count * width) / (1.3 * height))));
  return Math.ceil(count / lines);
}

function place(columns, layer) {
  const positions = new Map();
  const tallest = Math.max(1, ...columns.map((column) => (column || []).length));
  const beside = folded(columns.length, tallest);
  columns.forEach((column, depth) => {
    const line = Math.floor(depth / beside);
    (column || []).forEach((state, at) => {
      const offset = (tallest - column.length) / 2;
      const y = (at + offset) * (BOX.height + BOX.down) + line * (tallest * (BOX.height + BOX.down) + BOX.band);
      positions.set(state, { x: (depth % beside) * (BOX.width + BOX.right), y, layer: layer.get(state) });
    });
  });
  return positions;
}
