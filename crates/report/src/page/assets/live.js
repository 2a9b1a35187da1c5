// A walk through the program, led from here: the server takes the steps, this shows where they lead and what can come next.

/** What a walk looks like before its server has answered. */
const NOTHING = { evidence: { run: { steps: [{ state: '0', values: {} }], loop: null } } };

class LiveView extends RunView {
  constructor(page) {
    super(page, { ...NOTHING, evidence: { run: { ...NOTHING.evidence.run } } }, { processes: [], messages: [] });
    this.revision = null;
    this.watched = [];
    this.before = new Map();
    this.choices = [];
    this.waiting = Promise.resolve();
    this.ask({ do: 'show' });
  }

  /** The controls of a walk, below those of a run. */
  more() {
    const button = (id, text, title, question) => h('button', { id, title, onclick: () => this.ask(question()) }, text);
    const field = (id, placeholder, label, word, key) => {
      const input = h('input', { id, type: 'text', placeholder, 'aria-label': label });
      input.addEventListener('keydown', (event) => {
        if (event.key === 'Enter' && input.value.trim()) this.ask({ do: word, [key]: input.value.trim() });
      });
      return input;
    };
    this.untilInput = field('live-until', 'run until a condition, e.g. x > 2', 'run until this holds', 'until', 'condition');
    this.along = h('span', { class: 'along' });
    this.starts = h('span', { class: 'along' });
    this.message = h('p', { class: 'warning', id: 'live-message', role: 'status' });
    return h('div', { class: 'live' },
      h('div', { class: 'controls' }, button('live-back', 'back', 'undo the last step (b)', () => ({ do: 'back' })), button('live-reset', 'reset', 'to the beginning (r)', () => ({ do: 'reset' })),
        button('live-chance', 'by chance', 'a step by chance (x)', () => ({ do: 'chance' })), this.untilInput, this.starts),
      this.along, this.message);
  }

  side() {
    const stack = super.side();
    stack.classList.add('live-stack');
    return stack;
  }

  /** What can be done next, in place of a formula. */
  formulaPane() {
    this.formulas = h('tbody');
    this.extra = h('div');
    this.list = h('div', { class: 'body choices-list', role: 'region', tabindex: '0', 'aria-label': 'possible steps', id: 'live-choices' });
    return h('section', { class: 'pane', 'aria-label': 'possible steps' }, h('header', null, h('strong', null, 'What can come next'), h('span', { class: 'quiet' }, 'keys 1 – 9')), this.list);
  }

  /** Asks the server, one question after the other. */
  ask(question) {
    this.waiting = this.waiting.then(async () => {
      try {
        const reply = await fetch('/live', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ ...question, revision: this.revision }) });
        if (!reply.ok) throw new Error(await reply.text());
        this.take(await reply.json(), question.do);
      } catch (error) {
        this.message.textContent = visible('The program that serves this page does not answer: ' + error.message);
      }
    });
    return this.waiting;
  }

  /** Takes an answer in. */
  take(reply, word) {
    const run = this.run;
    this.revision = reply.revision;
    run.steps = run.steps.slice(0, reply.kept).concat(reply.steps);
    [run.loop, run.end] = [reply.loop, reply.end];
    this.count = run.steps.length + (run.end || run.loop !== null ? 1 : 0);
    this.before = new Map(this.watched);
    this.watched = reply.watched;
    this.choices = reply.choices;
    this.finished = reply.finished;
    this.detail.messages = reply.messages;
    this.detail.moves = { statements: reply.moves.statements, at: { [this.last]: reply.moves.at[0] } };
    for (const step of reply.steps) this.longest = Math.max(this.longest || 1, step.step ? step.step.statement.length : 1);
    this.addLanes(reply);
    this.slider.max = String(this.count - 1);
    this.message.textContent = visible(reply.message || '');
    this.showAlong(reply.beside);
    this.showStarts(reply.initial_states);
    if (word === 'until' && !reply.message) this.untilInput.blur();
    this.arrangeRows();
    this.select(this.count - 1);
  }

  /** A lane for every process that there is, or that steps. */
  addLanes(reply) {
    const all = this.projection.all.slice();
    const add = (name) => { if (name && !all.includes(name)) all.push(name); };
    reply.processes.forEach(add);
    for (const step of reply.steps) if (step.step) { add(step.step.process); add(step.step.partner); }
    if (all.length === this.projection.all.length) return;
    const projection = new Projection(all, () => this.project());
    this.projection.element.replaceWith(projection.element);
    this.projection = projection;
  }

  /** Where the walk is beside a counterexample. */
  showAlong(beside) {
    const parts = [];
    if (beside) {
      const name = this.page.data.report.results[beside.result].name;
      const button = (id, text, question) => h('button', { id, onclick: () => this.ask(question) }, text);
      if (beside.left === null) parts.push('off the run of ', h('strong', null, name), ' since step ' + beside.since + ' ', button('live-rejoin', 'rejoin it', { do: 'rejoin' }));
      else if (beside.left > 0) parts.push('along the run of ', h('strong', null, name), ', ' + plural(beside.left, 'step') + ' left ', button('live-next', 'next', { do: 'next' }), button('live-end', 'to its end', { do: 'next', count: 1e6 }));
      else parts.push('at the end of the run of ', h('strong', null, name));
    }
    this.along.replaceChildren(...h('span', null, parts).childNodes);
    this.beside = beside;
  }

  /** Which initial state the walk begins in, if there are several. */
  showStarts(count) {
    if (count < 2 || this.starts.firstChild) return;
    const input = h('input', { type: 'number', min: 1, max: count, value: 1, 'aria-label': 'initial state', id: 'live-start' });
    input.addEventListener('change', () => this.ask({ do: 'start', state: Number(input.value) - 1 }));
    this.starts.append(h('label', null, 'initial state ', input, ' of ' + count));
  }

  /** The steps that are possible, or how to go on from an earlier one. */
  showFormula() {
    if (!this.list) return;
    if (this.at < this.last) {
      const at = this.at;
      this.list.replaceChildren(h('p', { class: 'empty' }, 'Step ' + at + ' of ' + this.last + '. ', h('button', { id: 'live-go', onclick: () => this.ask({ do: 'go', to: at }) }, 'go on from here'), ' forgets what came after it.'));
      return;
    }
    const rows = (this.choices || []).map((choice, at) => h('button', { class: (choice.guided ? 'guided ' : '') + (choice.fault ? 'bad' : ''), 'data-choice': at, title: choice.fault || (choice.guided ? 'the counterexample does this' : ''), onclick: () => this.ask({ do: 'take', choice: at }) },
      h('span', { class: 'n' }, at + 1), h('span', null, choice.guided ? '★ ' : '', h('strong', null, choice.process), ' line ' + choice.line + ': ', h('code', null, choice.statement), choice.partner ? [' with ', h('strong', null, choice.partner)] : null, choice.fault ? h('span', { class: 'note' }, ' ' + choice.fault) : null)));
    if (!rows.length && this.revision !== null) rows.push(h('p', { class: 'empty' }, this.finished ? 'All processes are at their ends.' : this.run.end ? this.run.end.message : 'Nothing can step.'));
    this.list.replaceChildren(...rows);
  }

  /** What the server watches, which is worked out for the last state; for earlier ones by the page itself. */
  watchedRows(now, before) {
    return this.watched.map(([text, value]) => {
      if (this.at < this.last) return this.pinRow(text, now, before);
      const earlier = this.before.get(text);
      return h('tr', { class: 'pinned' }, h('td', null, this.pinButton(text, true), text), this.valueCell(value, earlier, earlier !== undefined && earlier !== value));
    });
  }

  pin(text) { this.ask({ do: 'watch', expression: text }); }

  pinButton(text, isPinned) {
    const button = super.pinButton(text, isPinned);
    if (!this.watched.some(([watched]) => watched === text)) return button;
    return h('button', { class: 'pin', 'aria-pressed': 'true', 'aria-label': 'unpin ' + text, title: 'unpin', onclick: () => this.ask({ do: 'unwatch', expression: text }) }, '★');
  }

  key(event) {
    const questions = { b: { do: 'back' }, r: { do: 'reset' }, x: { do: 'chance' }, n: { do: 'next' } };
    if (/^[1-9]$/.test(event.key)) {
      const choice = Number(event.key) - 1;
      if (this.at >= this.last && choice < this.choices.length) this.ask({ do: 'take', choice });
    } else if (event.key in questions) this.ask(questions[event.key]);
    else if (event.key === 'u') this.untilInput.focus();
    else return super.key(event);
    return true;
  }
}
