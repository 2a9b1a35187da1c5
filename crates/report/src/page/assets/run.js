// A run: who does what, in lanes; the state, the source and the formula at the chosen step.

/** Widths in pixels; a letter of the lanes is about so wide. */
const LANE = { least: 118, few: 92, most: 300, letter: 7.3, number: 46 };
/** Heights of rows with one line and with two. */
const ROW = { one: 26, two: 42 };

/** The processes of a run, in the order in which the program has them. */
function lanesOf(run, detail) {
  const lanes = (detail.processes || []).slice();
  const add = (name) => { if (name && !lanes.includes(name)) lanes.push(name); };
  const taken = run.steps.map((step) => step.step).concat(run.end ? [run.end.step] : []);
  for (const step of taken) if (step) { add(step.process); add(step.partner); }
  // Of many processes only those that do something have a lane.
  const seen = new Set(taken.flatMap((step) => (step ? [step.process, step.partner] : [])));
  return lanes.length <= 6 ? lanes : lanes.filter((lane) => seen.has(lane));
}

/** Names and values of a step, labels as words. */
function valuesOf(step) {
  if (step.values) return step.values;
  const words = {};
  for (const [name, letter] of Object.entries(step.labels || {})) words[name] = LETTERS[letter] || letter;
  return words;
}

function shown(name, value) {
  return name.endsWith('@') ? name + value : name + '=' + value;
}

class RunView {
  constructor(page, result, detail) {
    this.page = page;
    this.run = result.evidence.run;
    this.result = result;
    this.detail = detail;
    this.lane = LANE.most;
    this.height = ROW.one;
    // A step that goes wrong has no state after it, but a row of its own; so has the way back of a loop.
    this.count = this.run.steps.length + (this.run.end || this.run.loop !== null ? 1 : 0);
    this.at = 0;
    // Rows and values that are shown already are not made anew.
    this.drawn = new Map();
    this.valueRows = new Map();
    this.projection = new Projection(lanesOf(this.run, detail), () => this.project());
    this.pins = page.pins;
    this.blame = new Map();
    // Of the parts that decide at one step the innermost says most; the whole formula is no news.
    for (const entry of detail.blame || []) if (entry.row > 0) this.blame.set(entry.at, this.blame.get(entry.at) && this.blame.get(entry.at).row > entry.row ? this.blame.get(entry.at) : entry);
    this.element = h('div', { class: 'split' }, this.timeline(), this.side());
    this.arrangeRows();
    // Widths are asked for once, and again only when something else has room.
    this.observer = new ResizeObserver(() => {
      // The line above grows and shrinks with its step; lanes depend on the width alone.
      if (this.measured && this.room.width === this.body.clientWidth) this.room.height = this.body.clientHeight;
      else this.measured = false;
      this.measure();
      this.bringIntoView();
      this.draw();
    });
    this.observer.observe(this.body);
  }

  /** The last row that has a state. */
  get last() { return this.run.steps.length - 1; }

  /** The processes that have a lane. */
  get lanes() { return this.projection.lanes; }

  timeline() {
    this.slider = h('input', { type: 'range', min: 0, max: this.count - 1, value: 0, 'aria-label': 'step' });
    this.slider.addEventListener('input', () => this.select(Number(this.slider.value)));
    this.position = h('span', { class: 'position', 'aria-live': 'polite' });
    const button = (label, text, to) => h('button', { 'aria-label': label, title: label, onclick: () => this.select(to()) }, text);
    const controls = h('div', { class: 'controls' },
      button('first step', '|◀', () => 0), button('previous step', '◀', () => this.next(-1)),
      this.slider,
      button('next step', '▶', () => this.next(1)), button('last step', '▶|', () => this.count - 1),
      this.position, this.goOn(), this.projection.element);
    this.names = h('div', { class: 'lane-names' });
    const head = h('div', { class: 'lanes-head' }, h('span', { class: 'number' }, '#'), this.names, h('span', { class: 'changes' }, 'changes'));
    this.rows = h('div', { class: 'rows' });
    this.body = h('div', { class: 'body', tabindex: '0', role: 'listbox', 'aria-label': 'steps of the run' }, head, this.rows);
    this.body.addEventListener('scroll', () => this.draw());
    this.chosen = h('div', { class: 'chosen', id: 'chosen', 'aria-live': 'polite' });
    return h('section', { class: 'pane', 'aria-label': 'steps' }, h('header', null, controls), this.more(), this.chosen, this.body);
  }

  /** Where the program can be simulated: a way there, from the chosen step. */
  goOn() {
    const live = this.page.data.live;
    return live && live[this.page.at] && !(this instanceof LiveView) ? h('button', { id: 'go-on', title: 'go on from this step in the simulator (x)', onclick: () => this.page.goOn(this.at) }, 'go on from here') : null;
  }

  /** More controls. */
  more() { return null; }

  /** What is shown changed: rows and lanes are laid out anew. */
  project() {
    this.arrangeRows();
    this.select(this.at);
    this.showState();
  }

  /** Which steps have a row, in order, and the names above the lanes. */
  arrangeRows() {
    const names = this.lanes.length ? this.lanes : ['state'];
    this.names.style.gridTemplateColumns = 'repeat(' + names.length + ',var(--lane))';
    this.names.replaceChildren(...names.map((name) => h('span', { title: name }, name)));
    this.measured = false;
    this.drawn.clear();
    this.order = [];
    this.place = new Map();
    for (let at = 0; at < this.count; at += 1) {
      if (!this.hasRow(at)) continue;
      this.place.set(at, this.order.length);
      this.order.push(at);
    }
    this.projection.tell(this.count - this.order.length);
  }

  /** The first state, the ends and what a shown process or variable takes part in. */
  hasRow(at) {
    const taken = this.taken(at);
    if (at === 0 || at >= this.last || at === this.run.loop || !taken || this.projection.isWhole) return true;
    return this.projection.shows(taken.process) || (taken.partner && this.projection.shows(taken.partner)) || this.changedNames(at).some((name) => this.projection.asksFor(name));
  }

  /** The names whose values a step changes. */
  changedNames(at) {
    const [step, before] = [this.run.steps[at], this.run.steps[at - 1]];
    if (!step || !before) return [];
    const [now, then] = [valuesOf(step), valuesOf(before)];
    return Object.keys(now).filter((name) => now[name] !== then[name]);
  }

  /** The step so many rows further on. */
  next(by) {
    let from = this.place.get(this.at);
    if (from === undefined) from = this.order.findIndex((at) => at >= this.at);
    return this.order[Math.max(0, Math.min(this.order.length - 1, from + by))];
  }

  side() {
    this.source = sourcePane(this.page.data.sources || [], 'Source');
    return h('div', { class: 'stack' }, this.source.element, this.statePane(), this.formulaPane());
  }

  statePane() {
    this.filter = h('input', { type: 'search', placeholder: 'filter  /', 'aria-label': 'filter variables by name', id: 'filter' });
    this.filter.addEventListener('input', () => this.showState());
    this.onlyChanged = h('button', { 'aria-pressed': 'false', title: 'hide what did not change' }, 'changed only');
    this.onlyChanged.addEventListener('click', () => {
      this.onlyChanged.setAttribute('aria-pressed', String(this.onlyChanged.getAttribute('aria-pressed') !== 'true'));
      this.showState();
    });
    this.pinInput = h('input', { type: 'text', placeholder: 'pin an expression, e.g. x <= y', 'aria-label': 'pin an expression', id: 'pin' });
    this.pinInput.addEventListener('keydown', (event) => {
      if (event.key !== 'Enter' || !this.pinInput.value.trim()) return;
      this.pin(this.pinInput.value.trim());
      this.pinInput.value = '';
    });
    this.table = h('tbody');
    return h('section', { class: 'pane', 'aria-label': 'state' },
      h('header', null, h('strong', null, 'State'), this.filter, this.onlyChanged, this.pinInput),
      h('div', { class: 'body', tabindex: '0', role: 'region', 'aria-label': 'values' }, h('table', { class: 'values' }, this.table)));
  }

  pin(text) {
    this.pins.push(text);
    this.showState();
  }

  /** Rows for what is watched elsewhere. */
  watchedRows() { return []; }

  formulaPane() {
    this.formulas = h('tbody');
    this.extra = h('div');
    return h('section', { class: 'pane', 'aria-label': 'formula at this step' },
      h('header', null, h('strong', null, 'Formula at this step'), h('span', { class: 'quiet' }, 'along this run')),
      h('div', { class: 'body', tabindex: '0', role: 'region', 'aria-label': 'sub-formulas' }, h('table', null, this.formulas), this.extra));
  }

  /** The row of a step: only what is in view exists. */
  row(at) {
    const run = this.run;
    const step = run.steps[at];
    const taken = step ? step.step : run.end && run.end.step;
    const inLoop = run.loop !== null && at > run.loop && at <= this.last;
    const area = h('div', { class: 'lane-area' });
    if (taken) {
      const bad = !step;
      const own = this.lanes.indexOf(taken.process);
      area.append(this.act(own, taken.statement, bad ? 'bad' : '', taken.process + ', line ' + taken.line + ': ' + taken.statement));
      if (taken.partner) area.append(this.act(this.lanes.indexOf(taken.partner), '⇠ ' + taken.partner, '', taken.partner + ' takes part'));
    } else if (step) {
      area.append(this.act(0, at === 0 ? (step.values ? 'start' : step.state) : step.values ? 'nothing can step' : step.state, step.values ? 'rest' : '', step.state));
    }
    return h('div', { class: 'row' + (inLoop ? ' in-loop' : ''), style: 'top:' + this.place.get(at) * this.height + 'px', role: 'option', id: 'step-' + at, 'aria-selected': String(at === this.at), onclick: () => this.select(at) },
      h('span', { class: 'number' }, at <= this.last ? at : ''), area, this.changesCell(at));
  }

  act(lane, text, kind, title) {
    return h('span', { class: 'act ' + kind, title, style: 'left:' + (Math.max(lane, 0) * this.lane + 3) + 'px' }, h('span', null, text));
  }

  changesCell(at) {
    const cell = h('div', { class: 'changes' }, this.changes(at));
    cell.title = cell.textContent;
    return cell;
  }

  changes(at) {
    const run = this.run;
    const parts = [];
    const step = run.steps[at];
    if (!step && run.end) parts.push(h('span', { class: 'note' }, run.end.message));
    else if (!step) parts.push(h('span', { class: 'loop-note' }, '↩ back to step ' + run.loop + ', forever'));
    if (step) {
      if (run.loop === at) parts.push(h('span', { class: 'loop-note' }, '↻ loop entry '));
      const blamed = this.blame.get(at);
      if (blamed) parts.push(h('span', { class: 'note' }, '◀ ' + blamed.formula + ' is ' + LETTERS[blamed.value] + ' '));
      const now = valuesOf(step);
      const before = at > 0 ? valuesOf(run.steps[at - 1]) : null;
      let count = 0;
      for (const name of Object.keys(now)) {
        if ((before && before[name] === now[name]) || this.projection.leavesOut(name)) continue;
        if (count++ > 30) { parts.push('…'); break; }
        parts.push(before ? h('b', null, shown(name, now[name])) : shown(name, now[name]), ' ');
      }
      for (const name of Object.keys(before || {})) if (!(name in now)) parts.push(h('span', { class: 'quiet' }, (name.endsWith('@') ? name.slice(0, -1) + ' leaves ' + before[name] : name + ' gone') + ' '));
      if (step.step && step.step.output) parts.push(h('span', { class: 'quiet' }, ' prints: ' + step.step.output.trim()));
    }
    return parts;
  }

  /** Lanes share the width that the changes leave; where statements do not fit, rows have two lines. */
  measure() {
    if (this.measured) return;
    this.measured = this.body.clientWidth > 0;
    const count = Math.max(this.lanes.length, 1);
    const width = this.body.clientWidth;
    this.changesWidth = Math.round(Math.min(420, Math.max(150, width * 0.34)));
    const room = width - LANE.number - this.changesWidth;
    this.lane = Math.round(Math.min(LANE.most, Math.max(count <= 4 ? LANE.few : LANE.least, room / count)));
    this.longest = this.longest || Math.max(...this.run.steps.concat(this.run.end ? [this.run.end] : []).map((step) => (step.step ? step.step.statement.length : 0)));
    this.height = this.longest * LANE.letter + 22 > this.lane ? ROW.two : ROW.one;
    this.head = this.body.firstChild.offsetHeight;
    this.room = { width, height: this.body.clientHeight };
    this.drawn.clear();
    this.rows.classList.toggle('tall', this.height === ROW.two);
    this.rows.style.height = this.order.length * this.height + 'px';
    this.body.style.setProperty('--row', this.height + 'px');
    this.body.style.setProperty('--lane', this.lane + 'px');
    this.body.style.setProperty('--changes', this.changesWidth + 'px');
    this.body.style.setProperty('--lanes-width', this.lane * count + 'px');
  }

  /** Draws the rows in view and the messages that cross it. */
  draw() {
    this.measure();
    const from = Math.max(0, Math.floor((this.body.scrollTop - this.head) / this.height) - 4);
    const to = Math.min(this.order.length, Math.ceil((this.body.scrollTop + this.room.height) / this.height) + 4);
    const rows = this.order.slice(from, to);
    const before = this.drawn;
    this.drawn = new Map();
    // All rows anew, or only those that come into view.
    if (!before.size) this.rows.replaceChildren();
    let next = null;
    for (const at of rows.slice().reverse()) {
      const row = before.get(at) || this.row(at);
      if (!before.delete(at)) this.rows.insertBefore(row, next);
      next = row;
      if (row.getAttribute('aria-selected') !== String(at === this.at)) row.setAttribute('aria-selected', String(at === this.at));
      this.drawn.set(at, row);
    }
    for (const row of before.values()) row.remove();
    if (this.picture) this.picture.remove();
    this.picture = this.arrows(rows);
    this.rows.prepend(this.picture);
    this.body.setAttribute('aria-activedescendant', 'step-' + this.at);
  }

  /** Messages between the lanes: drawn between the boxes, never over their text. */
  arrows(rows) {
    const [from, to] = [rows[0], rows[rows.length - 1]];
    const picture = svg('svg', { class: 'arrows', width: Math.max(this.lanes.length * this.lane, 1), height: this.order.length * this.height, 'aria-hidden': 'true' });
    const centre = (lane) => lane * this.lane + 8;
    const middle = (at) => this.place.get(at) * this.height + this.height / 2;
    const below = this.height / 2 - 2;
    const draw = (a, atA, b, atB, text) => {
      const [x1, x2] = [centre(a), centre(b)];
      const [y1, y2] = [middle(atA), middle(atB)];
      const side = x2 >= x1 ? 1 : -1;
      const d = atA === atB ? 'M' + x1 + ' ' + (y1 + below) + 'H' + x2 : 'M' + x1 + ' ' + (y1 + below) + 'L' + x2 + ' ' + (y2 - below + 1);
      picture.append(svg('path', { d }));
      const [ex, ey] = atA === atB ? [x2, y1 + below] : [x2, y2 - below + 1];
      picture.append(svg('path', { class: 'head', d: atA === atB ? 'M' + ex + ' ' + ey + 'l' + -6 * side + ' -3v6z' : 'M' + ex + ' ' + ey + 'l' + (a === b ? '-3 -6h6z' : -6 * side + ' -4l3 -3z') }));
      if (text && atA !== atB) picture.append(svg('text', { x: (x1 + x2) / 2 + 5, y: (y1 + y2) / 2 }, text));
    };
    for (const message of this.detail.messages || []) {
      if (message.to === null || message.to < from || message.from > to) continue;
      const [sender, receiver] = [this.taken(message.from), this.taken(message.to)];
      if (!sender || !receiver || !this.hasLanes(sender.process, receiver.process) || !this.place.has(message.from) || !this.place.has(message.to)) continue;
      draw(this.lanes.indexOf(sender.process), message.from, this.lanes.indexOf(receiver.process), message.to, message.text);
    }
    for (const at of rows) {
      const taken = this.taken(at);
      if (taken && taken.partner && this.hasLanes(taken.process, taken.partner)) draw(this.lanes.indexOf(taken.process), at, this.lanes.indexOf(taken.partner), at, '');
    }
    return picture;
  }

  hasLanes(...processes) { return processes.every((process) => this.lanes.includes(process)); }

  taken(at) {
    const step = this.run.steps[at];
    return step ? step.step : this.run.end && this.run.end.step;
  }

  select(at) {
    this.at = Math.max(0, Math.min(this.count - 1, at));
    if (!this.place.has(this.at)) this.at = this.order.find((shown) => shown >= this.at) ?? this.order[this.order.length - 1];
    this.measure();
    this.bringIntoView();
    this.draw();
    this.slider.value = String(this.at);
    this.position.textContent = this.at > this.last ? (this.run.end ? this.run.end.kind + ' after ' + this.last : 'loop') : 'step ' + this.at + ' of ' + this.last;
    this.showChosen();
    this.showSource();
    this.showState();
    this.showFormula();
    this.page.remember({ step: this.at });
  }

  /** Scrolls so that the row of the chosen step is seen, and the lane in which something happens. */
  bringIntoView() {
    const top = this.place.get(this.at) * this.height;
    const { head, room: { width, height } } = this;
    if (top < this.body.scrollTop) this.body.scrollTop = top;
    else if (top + this.height + head > this.body.scrollTop + height) this.body.scrollTop = top + this.height + head - height;
    const taken = this.taken(this.at);
    const lane = taken ? Math.max(0, this.lanes.indexOf(taken.process)) : 0;
    const room = width - LANE.number - this.changesWidth;
    const left = lane * this.lane;
    if (left < this.body.scrollLeft) this.body.scrollLeft = left;
    else if (left + this.lane > this.body.scrollLeft + room) this.body.scrollLeft = left + this.lane - room;
  }

  /** The chosen step in full, whatever the columns have room for. */
  showChosen() {
    const taken = this.taken(this.at);
    const who = taken ? [h('strong', null, taken.process), ' line ' + taken.line + ': ', h('code', null, taken.statement), taken.partner ? [' with ', h('strong', null, taken.partner)] : null] : h('span', { class: 'quiet' }, this.at === 0 ? 'start' : 'no process steps');
    this.chosen.replaceChildren(h('span', { class: 'step' }, who), h('span', { class: 'changes' }, this.changes(this.at)));
  }

  /** The statement that led here, and what could be done next. */
  showSource() {
    const taken = this.taken(this.at);
    const guards = [];
    const moves = this.detail.moves;
    const next = moves && moves.at[Math.min(this.at, this.last)];
    if (next) {
      const lines = new Map();
      for (const code of next) {
        const statement = moves.statements[code >> 1];
        const key = statement.line + ':' + (statement.file || '') + ':' + (code & 1);
        if (statement.file) continue;
        const entry = lines.get(key) || { line: statement.line, can: Boolean(code & 1), who: [] };
        entry.who.push(statement.process);
        lines.set(key, entry);
      }
      for (const entry of lines.values()) guards.push({ line: entry.line, can: entry.can, text: [...new Set(entry.who)].join(', ') + (entry.can ? ' can step' : ' waits: guard is false') });
    }
    this.source.show(taken && taken.line, taken && taken.file, guards);
  }

  showState() {
    const at = Math.min(this.at, this.last);
    const now = valuesOf(this.run.steps[at]);
    const before = this.at > this.last ? now : at > 0 ? valuesOf(this.run.steps[at - 1]) : null;
    const wanted = this.filter.value.trim().toLowerCase();
    const changedOnly = this.onlyChanged.getAttribute('aria-pressed') === 'true';
    const rows = this.watchedRows(now, before).concat(this.pins.map((text) => this.pinRow(text, now, before)));
    const names = Object.keys(now);
    const pinned = new Set(this.pins);
    let hidden = 0;
    for (const name of names) {
      const changed = before !== null && before[name] !== now[name];
      if (pinned.has(name)) continue;
      if ((wanted && !name.toLowerCase().includes(wanted)) || (changedOnly && before && !changed)) { hidden += 1; continue; }
      if (rows.length > 400) { hidden += 1; continue; }
      rows.push(this.valueRow(name, now[name], before ? before[name] : null, changed));
    }
    if (hidden) rows.push(h('tr', null, h('td', { class: 'quiet words', colspan: 2 }, hidden + ' hidden')));
    // Only rows that differ from what is there are put in.
    const there = this.table.children;
    const kept = new Set(rows);
    rows.forEach((row, at) => {
      if (there[at] === row) return;
      if (there[at] && !kept.has(there[at])) there[at].replaceWith(row);
      else this.table.insertBefore(row, there[at] || null);
    });
    while (there.length > rows.length) this.table.lastChild.remove();
  }

  /** The row of a variable; the one that was shown last, if it says the same. */
  valueRow(name, value, before, changed) {
    const known = this.valueRows.get(name);
    const says = JSON.stringify([value, changed ? before : null, changed]);
    if (known && known.says === says) return known.row;
    const row = h('tr', null, h('td', null, this.pinButton(name, false), name), this.valueCell(value, before, changed));
    this.valueRows.set(name, { row, says });
    return row;
  }

  valueCell(value, before, changed) {
    if (!changed) return h('td', null, value);
    return h('td', null, before === undefined ? null : h('span', { class: 'before' }, before), h('span', { class: 'changed' }, differing(before, value)));
  }

  pinRow(text, now, before) {
    const tell = (values) => { try { return String(evaluate(text, values)); } catch (error) { return error; } };
    const value = Object.prototype.hasOwnProperty.call(now, text) ? now[text] : tell(now);
    const earlier = before && (Object.prototype.hasOwnProperty.call(before, text) ? before[text] : tell(before));
    const cell = value instanceof Error ? h('td', { class: 'quiet words' }, value.message)
      : this.valueCell(value, earlier instanceof Error ? undefined : earlier, before !== null && earlier !== value);
    return h('tr', { class: 'pinned' }, h('td', null, this.pinButton(text, true), text), cell);
  }

  pinButton(text, isPinned) {
    return h('button', { class: 'pin', 'aria-pressed': String(isPinned), 'aria-label': (isPinned ? 'unpin ' : 'pin ') + text, title: isPinned ? 'unpin' : 'pin',
      onclick: () => {
        if (isPinned) this.pins.splice(this.pins.indexOf(text), 1); else this.pins.push(text);
        this.showState();
      } }, isPinned ? '★' : '☆');
  }

  showFormula() {
    const at = Math.min(this.at, this.last);
    const rows = [];
    const blamed = new Set((this.detail.blame || []).filter((entry) => entry.at === at).map((entry) => entry.row));
    (this.detail.unfolded || []).forEach((entry, number) => {
      const letter = entry.values[at];
      rows.push(h('tr', { class: blamed.has(number) ? 'here' : '' },
        h('td', { style: 'padding-left:' + (8 + 14 * entry.depth) + 'px' }, entry.formula),
        h('td', null, h('span', { class: 'value ' + letter }, letter === 'u' ? 'open' : LETTERS[letter]))));
    });
    if (!rows.length) rows.push(h('tr', null, h('td', { class: 'quiet words' }, this.run.end ? this.run.end.message : 'there is no formula: this is looked for without being asked')));
    this.formulas.replaceChildren(...rows);
    this.extra.replaceChildren(...this.fairness());
  }

  /** What the loop does for each process. */
  fairness() {
    const list = this.detail.fairness || [];
    if (!list.length || this.run.loop === null) return [];
    return [h('h3', { style: 'padding:8px 8px 0' }, 'In the loop'),
      h('table', null, h('tbody', null, list.map((entry) => h('tr', null, h('td', { class: 'name' }, entry.process), h('td', { class: 'words' }, entry.remark)))))];
  }

  key(event) {
    const steps = { ArrowDown: 1, j: 1, ArrowRight: 1, ArrowUp: -1, k: -1, ArrowLeft: -1, PageDown: 20, PageUp: -20 };
    if (event.key in steps) this.select(this.next(steps[event.key]));
    else if (event.key === 'Home' || event.key === 'g') this.select(0);
    else if (event.key === 'End' || event.key === 'G') this.select(this.count - 1);
    else if (event.key === '/') this.filter.focus();
    else if (event.key === 'p') this.pinInput.focus();
    else if (event.key === 'c') this.onlyChanged.click();
    else if (event.key === 'x' && this.element.querySelector('#go-on')) this.page.goOn(this.at);
    else if (event.key === 'v') this.projection.element.open = !this.projection.element.open;
    else return false;
    return true;
  }

  leave() { this.observer.disconnect(); }
}

/** The new value, with what differs inside a list marked. */
function differing(before, value) {
  const isList = (text) => typeof text === 'string' && text.startsWith('[') && text.endsWith(']');
  if (!isList(before) || !isList(value)) return value;
  const old = before.slice(1, -1).split(', ');
  const parts = value.slice(1, -1).split(', ');
  return ['[', parts.map((part, at) => [at ? ', ' : '', old[at] === part ? part : h('u', null, part)]), ']'];
}
