// Which processes and variables of a run are shown: a long run is read one part at a time.

class Projection {
  /** `all` are the processes of the run, `changed` is called when something else is to be shown. */
  constructor(all, changed) {
    this.all = all;
    this.hidden = new Set();
    this.words = [];
    this.changed = changed;
    this.element = this.build();
  }

  build() {
    this.boxes = this.all.map((process) => {
      const box = h('input', { type: 'checkbox', 'aria-label': 'show ' + process });
      box.checked = true;
      box.addEventListener('change', () => { if (box.checked) this.hidden.delete(process); else this.hidden.add(process); this.changed(); });
      return h('label', null, box, ' ' + process);
    });
    this.variables = h('input', { type: 'search', placeholder: 'variables, e.g. total P[1]', 'aria-label': 'show changes of these variables only', id: 'projection' });
    this.variables.addEventListener('input', () => { this.words = this.variables.value.toLowerCase().split(/\s+/).filter(Boolean); this.changed(); });
    const every = (text, label, shown) => h('button', { 'aria-label': label, onclick: () => this.set(shown) }, text);
    this.note = h('span', { class: 'quiet' });
    this.summary = h('summary', { title: 'show some processes and variables only (v)' }, 'show');
    return h('details', { class: 'projection' }, this.summary,
      h('div', { class: 'choices' }, h('p', null, 'Steps of hidden processes have a row only if they change one of the variables below.'),
        this.variables, h('div', { class: 'command' }, every('all', 'show all processes', true), every('none', 'hide all processes', false), this.note),
        h('div', { class: 'boxes' }, this.boxes)));
  }

  set(shown) {
    this.hidden = new Set(shown ? [] : this.all);
    for (const label of this.boxes) label.querySelector('input').checked = shown;
    this.changed();
  }

  get lanes() { return this.all.filter((process) => !this.hidden.has(process)); }
  get isWhole() { return this.hidden.size === 0; }
  shows(process) { return !this.hidden.has(process); }
  asksFor(name) { return this.words.some((word) => name.toLowerCase().includes(word)); }
  leavesOut(name) { return this.words.length > 0 && !this.asksFor(name); }

  /** Says how many steps have no row. */
  tell(count) {
    this.note.textContent = count ? plural(count, 'step') + ' hidden' : '';
    this.summary.textContent = count || this.words.length ? 'show: some' : 'show';
  }
}
