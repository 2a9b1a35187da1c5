// The structure that was checked: may, must and hyper edges apart, states coloured for a chosen sub-formula.

const FIRST_SHOWN = 20;
/** So few states are shown as a whole, be they small. */
const FEW = 12;
const EXPANDED = 12;

class GraphView {
  constructor(page, result, detail) {
    this.page = page;
    this.result = result;
    this.detail = detail;
    this.rounds = detail.rounds && detail.rounds.length ? detail.rounds : [{ graph: detail.graph, formulas: detail.formulas, path: detail.path, loop: detail.path_loop, focus: detail.focus, note: '' }];
    this.roundsOf = detail.rounds_of || 'refinement';
    this.round = this.rounds.length - 1;
    this.view = { x: 0, y: 0, zoom: 1 };
    this.all = false;
    // Until the user moves it, the picture follows the size of the window.
    this.touched = false;
    this.build();
    this.load(true);
    this.observer = new ResizeObserver(() => this.resize());
    this.observer.observe(this.canvas);
  }

  build() {
    const button = (label, text, action) => h('button', { 'aria-label': label, title: label, onclick: action }, text);
    this.formula = h('select', { 'aria-label': 'colour states for this formula', onchange: () => this.draw() });
    this.whole = h('button', { 'aria-pressed': 'false', onclick: () => { this.all = !this.all; this.load(true); } });
    this.search = h('input', { type: 'search', placeholder: 'find a state  /', 'aria-label': 'find a state', id: 'find', oninput: () => this.list() });
    this.canvas = h('canvas', { tabindex: '0', role: 'img', 'aria-label': 'graph of states; the list beside it has the same states' });
    this.states = h('ul', { 'aria-label': 'states' });
    this.inspector = h('div', { 'aria-live': 'polite' });
    const header = h('header', null, h('label', null, 'value of ', this.formula), this.whole, h('span', { class: 'grow' }),
      button('zoom out', '−', () => this.zoom(1 / 1.25)), button('zoom in', '+', () => this.zoom(1.25)), button('show everything', 'fit', () => this.fit()),
      button('save as SVG', 'SVG', () => this.save('svg')), button('save as DOT', 'DOT', () => this.save('dot')), button('save as JSON', 'JSON', () => this.save('json')));
    if (this.rounds.length > 1) header.append(this.slider());
    this.element = h('div', { class: 'graph' },
      h('section', { class: 'canvas-box', 'aria-label': 'graph' }, header, this.canvas, legend(this.rounds.some((round) => (this.page.data.graphs[round.graph].decided || []).length))),
      h('section', { class: 'pane', 'aria-label': 'states' }, h('header', null, this.search), h('div', { class: 'body', style: 'padding:8px' }, this.inspector, this.states)));
    this.canvas.addEventListener('pointerdown', (event) => this.press(event));
    this.canvas.addEventListener('wheel', (event) => { event.preventDefault(); this.zoom(event.deltaY < 0 ? 1.1 : 1 / 1.1, event.offsetX, event.offsetY); }, { passive: false });
    this.canvas.addEventListener('dblclick', () => this.expand(this.chosen));
  }

  slider() {
    const note = h('span', { class: 'quiet' });
    const range = h('input', { type: 'range', min: 0, max: this.rounds.length - 1, value: this.round, 'aria-label': this.roundsOf === 'refinement' ? 'round of refinement' : this.roundsOf, id: 'round' });
    const tell = () => {
      const said = visible(this.rounds[this.round].note || '');
      const number = 'round ' + this.round + ' of ' + (this.rounds.length - 1);
      note.textContent = this.roundsOf !== 'refinement' ? said : said ? number + ': ' + said : number;
    };
    range.addEventListener('input', () => { this.round = Number(range.value); tell(); this.load(true); });
    tell();
    return h('div', { class: 'controls' }, h('span', null, this.roundsOf), range, note);
  }

  /** Takes the graph of the chosen round. */
  load(fit) {
    const round = this.rounds[this.round];
    this.graph = this.page.data.graphs[round.graph];
    this.valued = round.formulas || [];
    this.links = neighbours(this.graph);
    const path = round.path || [];
    this.path = new Set(path.slice(1).map((to, at) => path[at] + '>' + to));
    if (round.loop !== null && round.loop !== undefined && path.length) this.path.add(path[path.length - 1] + '>' + path[round.loop]);
    this.focus = round.focus;
    const seeds = [...new Set([...path, ...(round.focus === null || round.focus === undefined ? [] : [round.focus]), ...this.graph.init.slice(0, 20)])];
    const everything = this.graph.states.length <= FIRST_SHOWN || this.all;
    this.shown = everything ? new Set(this.graph.states.keys()) : near(this.links, seeds, Math.max(FIRST_SHOWN, seeds.length));
    this.whole.textContent = everything && !this.all ? plural(this.graph.states.length, 'state') : this.all ? 'only what matters' : 'all ' + this.graph.states.length + ' states';
    this.whole.disabled = this.graph.states.length <= FIRST_SHOWN;
    this.whole.setAttribute('aria-pressed', String(this.all));
    const before = this.formula.value;
    this.formula.replaceChildren(...this.valued.map((entry, at) => h('option', { value: at }, entry.formula)));
    this.formula.value = before && this.valued[before] ? before : '0';
    this.chosen = this.focus !== null && this.focus !== undefined ? this.focus : path.length ? path[path.length - 1] : this.graph.init[0];
    this.arrange();
    if (fit) requestAnimationFrame(() => { this.resize(); this.fit(); });
  }

  arrange() {
    measureBoxes(this.graph, this.shown);
    this.positions = layers(this.graph, this.links, this.shown);
    this.more = new Map();
    for (const state of this.shown) {
      const hidden = new Set(this.links.out[state].concat(this.links.into[state]).filter((other) => !this.shown.has(other))).size;
      if (hidden) this.more.set(state, hidden);
    }
    this.list();
    this.inspect();
  }

  expand(state) {
    if (state === undefined || !this.more.has(state)) return;
    let left = EXPANDED;
    for (const other of this.links.out[state].concat(this.links.into[state])) {
      if (!this.shown.has(other) && left > 0) { this.shown.add(other); left -= 1; }
    }
    this.arrange();
    this.draw();
  }

  value(state) {
    const entry = this.valued[Number(this.formula.value)];
    return entry && entry.values ? entry.values[state] : undefined;
  }

  scene(inView) {
    return { graph: this.graph, positions: this.positions, value: (state) => this.value(state), chosen: this.chosen, path: this.path, more: this.more, inView };
  }

  tones() {
    const names = ['paper', 'raised', 'line', 'ink', 'soft', 'focus', 'loop', 'true', 'false', 'unknown', 'both', 'true-paper', 'false-paper', 'unknown-paper', 'both-paper'];
    return Object.fromEntries(names.map((name) => [name, colour(name)]));
  }

  draw() {
    const surface = this.canvas.getContext('2d');
    const scale = window.devicePixelRatio || 1;
    const { x, y, zoom } = this.view;
    surface.setTransform(1, 0, 0, 1, 0, 0);
    surface.clearRect(0, 0, this.canvas.width, this.canvas.height);
    surface.setTransform(scale * zoom, 0, 0, scale * zoom, -x * scale * zoom, -y * scale * zoom);
    const [right, bottom] = [x + this.canvas.clientWidth / zoom, y + this.canvas.clientHeight / zoom];
    const inView = (a, b) => Math.max(a.x, b.x) + BOX.width + 80 > x && Math.min(a.x, b.x) - 80 < right && Math.max(a.y, b.y) + BOX.height + 80 > y && Math.min(a.y, b.y) - 80 < bottom;
    (zoom < 0.22 ? drawFromAfar : drawGraph)(surface, this.scene(inView), this.tones());
  }

  bounds() {
    let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
    for (const at of this.positions.values()) {
      left = Math.min(left, at.x); top = Math.min(top, at.y);
      right = Math.max(right, at.x + BOX.width); bottom = Math.max(bottom, at.y + BOX.height);
    }
    return Number.isFinite(left) ? { left: left - 60, top: top - 70, width: right - left + 120, height: bottom - top + 140 } : { left: 0, top: 0, width: 1, height: 1 };
  }

  fit() {
    const box = this.bounds();
    const [width, height] = [this.canvas.clientWidth || 1, this.canvas.clientHeight || 1];
    const whole = Math.min(width / box.width, height / box.height);
    // A picture that would be too small to read starts at the chosen state instead, and never shows the void beside the graph.
    const least = this.all ? 0.02 : this.shown.size <= FEW ? 0.35 : 0.4;
    const zoom = Math.min(1.3, Math.max(whole, least));
    const at = this.positions.get(this.chosen);
    const along = (start, size, seen, wanted) => (size <= seen ? start + (size - seen) / 2 : Math.min(Math.max(wanted - seen / 2, start), start + size - seen));
    const middle = at ? [at.x + BOX.width / 2, at.y + BOX.height / 2] : [box.left + box.width / 2, box.top + box.height / 2];
    this.view = { zoom, x: along(box.left, box.width, width / zoom, middle[0]), y: along(box.top, box.height, height / zoom, middle[1]) };
    this.draw();
  }

  zoom(factor, px, py) {
    this.touched = true;
    const { x, y, zoom } = this.view;
    const next = Math.min(4, Math.max(0.02, zoom * factor));
    const [cx, cy] = [px === undefined ? this.canvas.clientWidth / 2 : px, py === undefined ? this.canvas.clientHeight / 2 : py];
    this.view = { zoom: next, x: x + cx / zoom - cx / next, y: y + cy / zoom - cy / next };
    this.draw();
  }

  resize() {
    const scale = window.devicePixelRatio || 1;
    this.canvas.width = Math.max(1, Math.round(this.canvas.clientWidth * scale));
    this.canvas.height = Math.max(1, Math.round(this.canvas.clientHeight * scale));
    if (this.touched) this.draw(); else this.fit();
  }

  press(event) {
    const start = { x: event.clientX, y: event.clientY, view: { ...this.view } };
    let moved = false;
    const move = (now) => {
      const [dx, dy] = [now.clientX - start.x, now.clientY - start.y];
      moved ||= Math.hypot(dx, dy) > 4;
      this.touched ||= moved;
      if (moved) { this.view.x = start.view.x - dx / this.view.zoom; this.view.y = start.view.y - dy / this.view.zoom; this.draw(); }
    };
    const up = () => {
      removeEventListener('pointermove', move);
      if (moved) return;
      const box = this.canvas.getBoundingClientRect();
      const found = this.stateAt(start.x - box.left, start.y - box.top);
      if (found !== undefined) this.choose(found, false);
    };
    addEventListener('pointermove', move);
    addEventListener('pointerup', up, { once: true });
  }

  stateAt(px, py) {
    const [x, y] = [px / this.view.zoom + this.view.x, py / this.view.zoom + this.view.y];
    for (const [state, at] of this.positions) {
      if (x >= at.x && x <= at.x + BOX.width && y >= at.y && y <= at.y + BOX.height) return state;
    }
    return undefined;
  }

  choose(state, centre) {
    this.chosen = state;
    if (!this.shown.has(state)) { near(this.links, [state], 6).forEach((other) => this.shown.add(other)); this.arrange(); }
    const at = this.positions.get(state);
    this.touched ||= centre;
    if (centre && at) {
      this.view.x = at.x + BOX.width / 2 - this.canvas.clientWidth / this.view.zoom / 2;
      this.view.y = at.y - this.canvas.clientHeight / this.view.zoom / 2;
    }
    this.inspect();
    this.draw();
    this.page.remember({ state: this.graph.states[state] });
  }

  list() {
    const wanted = this.search.value.trim().toLowerCase();
    const found = [];
    let left = 0;
    this.graph.states.forEach((name, state) => {
      if (wanted ? !name.toLowerCase().includes(wanted) : !this.shown.has(state)) return;
      if (found.length >= 150) { left += 1; return; }
      found.push(h('li', null, this.link(state)));
    });
    if (left) found.push(h('li', { class: 'quiet' }, left + ' more; type to find one'));
    this.states.replaceChildren(h('li', null, h('h3', null, wanted ? 'Found' : 'States in the picture')), ...found);
    this.states.style.cssText = 'list-style:none;padding:0;margin:8px 0 0';
  }

  link(state) {
    const letter = this.value(state);
    return h('button', { class: 'plain code', style: 'text-align:left', onclick: () => this.choose(state, true) },
      letter ? h('span', { class: 'value ' + letter, 'aria-label': LETTERS[letter] }, SIGNS[LETTERS[letter]] + ' ') : null, this.graph.states[state]);
  }

  /** What is known about the chosen state. */
  inspect() {
    const state = this.chosen;
    if (state === undefined || state === null || !this.graph.states[state]) { this.inspector.replaceChildren(); return; }
    const graph = this.graph;
    const labels = graph.props.map((prop, at) => h('tr', null, h('td', null, prop), h('td', null, valueWord((graph.labels[state] || '')[at]))));
    const formulas = this.valued.map((entry) => h('tr', null, h('td', null, entry.formula), h('td', null, valueWord(entry.values[state]))));
    const kind = (may, must) => (may && must ? 'must' : may ? 'may' : 'must, merged');
    const steps = [
      ...graph.edges.filter(([from]) => from === state).map(([, to, may, must, action]) => h('li', null, h('span', { class: 'quiet' }, kind(may, must) + (action ? ' (' + action + ')' : '') + ' → '), this.link(to))),
      ...graph.hyper.filter(([from]) => from === state).map(([, members]) => h('li', null, h('span', { class: 'quiet' }, 'certainly one of → '), members.map((to) => this.link(to)))),
    ];
    const back = graph.edges.filter(([, to]) => to === state).map(([from, , may, must]) => h('li', null, h('span', { class: 'quiet' }, kind(may, must) + ' ← '), this.link(from)));
    const block = (title, content) => (content.length ? [h('h3', { style: 'margin-top:10px' }, title), content] : []);
    const plainList = (items) => (items.length ? [h('ul', { style: 'list-style:none;padding:0;margin:0' }, items)] : []);
    const samples = (graph.samples || []).filter((sample) => sample.state === state).map((sample) => h('li', { class: 'code' }, sample.values));
    this.inspector.replaceChildren(...[h('h2', { class: 'code', style: 'font-size:14px;overflow-wrap:anywhere' }, graph.states[state]),
      this.focus === state && h('p', { class: 'warning' }, 'here the question stays open'),
      block('Values', formulas.length ? [h('table', null, h('tbody', null, formulas))] : []),
      block('Labels', labels.length ? [h('table', null, h('tbody', null, labels))] : []),
      block('Stands for, among others', plainList(samples)),
      block('Steps', plainList(steps)), block('Comes from', plainList(back)),
      this.more.has(state) && h('button', { onclick: () => this.expand(state) }, 'show neighbours that are hidden')].flat(4).filter(Boolean));
  }

  key(event) {
    const pan = { ArrowLeft: [-60, 0], ArrowRight: [60, 0], ArrowUp: [0, -60], ArrowDown: [0, 60] }[event.key];
    if (pan) { this.touched = true; this.view.x += pan[0] / this.view.zoom; this.view.y += pan[1] / this.view.zoom; this.draw(); }
    else if (event.key === 'j' || event.key === 'k') this.walk(event.key === 'j' ? 1 : -1);
    else if (event.key === '+' || event.key === '=') this.zoom(1.25);
    else if (event.key === '-') this.zoom(1 / 1.25);
    else if (event.key === '0') this.fit();
    else if (event.key === 'e') this.expand(this.chosen);
    else if (event.key === '/') this.search.focus();
    else return false;
    return true;
  }

  /** To the next state in the picture, in the order of the list. */
  walk(by) {
    const order = [...this.shown].sort((a, b) => a - b);
    const at = order.indexOf(this.chosen);
    this.choose(order[(at + by + order.length) % order.length], true);
  }

  save(format) {
    const name = 'graph.' + format;
    if (format === 'json') return download(name, 'application/json', JSON.stringify(this.graph, null, 1));
    if (format === 'dot') return download(name, 'text/vnd.graphviz', dotOf(this.graph, (state) => this.value(state)));
    return download(name, 'image/svg+xml', this.svg());
  }

  /** The picture as a document of its own. */
  svg() {
    const surface = new SvgSurface();
    drawGraph(surface, this.scene(() => true), this.tones());
    const box = this.bounds();
    return surface.document(box.left, box.top, box.width, box.height, colour('paper'));
  }

  leave() { this.observer.disconnect(); }
}

function valueWord(letter) {
  return LETTERS[letter] ? h('span', { class: 'value ' + letter }, LETTERS[letter]) : '';
}

function legend(decided) {
  const line = (stroke, dash, width) => svg('svg', { width: 30, height: 8, 'aria-hidden': 'true' }, svg('path', { d: 'M0 4H30', style: 'stroke:var(--' + stroke + ')', 'stroke-width': width, 'stroke-dasharray': dash, fill: 'none' }));
  const bundle = svg('svg', { width: 30, height: 12, 'aria-hidden': 'true' }, svg('path', { d: 'M0 6H10L28 1M10 6L28 11', style: 'stroke:var(--both)', 'stroke-width': 1.6, fill: 'none' }), svg('path', { d: 'M10 2l4 4l-4 4l-4 -4z', style: 'fill:var(--both)' }));
  return h('div', { class: 'legend' },
    h('span', null, line('soft', '', 1.6), 'must: certain'), h('span', null, line('unknown', '6 4', 1.4), 'may: possible'),
    h('span', null, bundle, 'hyper: certainly one of'), h('span', null, line('loop', '', 2.6), 'the run or the open question'),
    decided ? [h('span', null, line('true', '', 2.2), 'decided: a step'), h('span', null, line('false', '2 4', 2.2), 'decided: no step')] : [],
    h('span', null, '+n: hidden neighbours (e, double click)'));
}

function dotOf(graph, value) {
  const quoted = (text) => '"' + String(text).replace(/[\\"]/g, '\\$&') + '"';
  const fills = { t: '#dff3e5', f: '#fbe4e2', u: '#e0ebfb', b: '#f1e3f8' };
  const lines = ['digraph tertium {', '  rankdir=LR; node [shape=box, style=filled, fillcolor=white, fontname=monospace];'];
  graph.states.forEach((name, at) => lines.push('  s' + at + ' [label=' + quoted(name) + (fills[value(at)] ? ', fillcolor="' + fills[value(at)] + '"' : '') + (graph.init.includes(at) ? ', penwidth=2' : '') + '];'));
  graph.edges.forEach(([from, to, may, must]) => lines.push('  s' + from + ' -> s' + to + (may && must ? '' : may ? ' [style=dashed]' : ' [style=dotted, color=purple]') + ';'));
  graph.hyper.forEach(([from, members], at) => {
    lines.push('  h' + at + ' [shape=diamond, label="", width=0.15, height=0.15, fillcolor=purple];', '  s' + from + ' -> h' + at + ' [arrowhead=none, color=purple];');
    members.forEach((to) => lines.push('  h' + at + ' -> s' + to + ' [color=purple];'));
  });
  return lines.join('\n') + '\n}\n';
}
