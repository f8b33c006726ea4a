// SPDX-License-Identifier: Apache-2.0
// Filters the results of the page, keeps the filter in the address, and leads to a result by #ID. Without it the page
// reads as it is. Text of the report is never made into markup here.
(() => {
  'use strict';
  const by = (id) => document.getElementById(id);
  const form = by('filter');
  const text = by('filter-text');
  const surface = by('filter-surface');
  const level = by('filter-level');
  const deep = by('filter-deep');
  const keys = by('filter-keys');
  const count = by('filter-count');
  const outcomes = [...form.querySelectorAll('input[name="outcome"]')];
  const groups = [...document.querySelectorAll('.group')].map((node) => ({
    node,
    surface: node.querySelector('h3').textContent,
    results: [...node.querySelectorAll('.result')],
  }));
  const results = groups.flatMap((group) => group.results.map((node) => ({
    node,
    details: node.querySelector('details'),
    surface: group.surface,
    level: node.dataset.level,
    outcome: node.dataset.outcome,
  })));
  const plural = results.length === 1 ? 'result' : 'results';

  // What a search looks through is read once, when it is first needed.
  const said = (result) => {
    if (result.said === undefined) {
      let all = '';
      const walk = document.createTreeWalker(result.node, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT, (node) =>
        node.nodeType === Node.ELEMENT_NODE && node.matches('.exchange, .picture, .again') ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT);
      while (walk.nextNode()) {
        if (walk.currentNode.nodeType === Node.TEXT_NODE) all += walk.currentNode.data + ' ';
      }
      result.said = all.toLowerCase();
    }
    return result.said;
  };
  const everything = (result) => (result.all ??= result.node.textContent.toLowerCase());

  const state = () => {
    const q = new URLSearchParams();
    if (text.value.trim()) q.set('q', text.value.trim());
    if (deep.checked) q.set('in', 'exchanges');
    if (surface.value) q.set('surface', surface.value);
    if (level.value) q.set('level', level.value);
    const chosen = outcomes.filter((box) => box.checked).map((box) => box.value);
    if (chosen.length) q.set('outcome', chosen.join(','));
    return q;
  };
  const choose = (q) => {
    const pick = (select, value) => {
      select.value = [...select.options].some((option) => option.value === value) ? value : '';
    };
    text.value = q.get('q') ?? '';
    deep.checked = q.get('in') === 'exchanges';
    pick(surface, q.get('surface') ?? '');
    pick(level, q.get('level') ?? '');
    const chosen = (q.get('outcome') ?? '').split(',');
    for (const box of outcomes) box.checked = chosen.includes(box.value);
  };
  const remember = () => {
    const q = state().toString();
    try {
      history.replaceState(null, '', q ? '#?' + q : '#results');
    } catch {
      // Some viewers keep the address to themselves.
    }
  };

  const filter = () => {
    const words = text.value.trim().toLowerCase().split(/\s+/).filter(Boolean);
    const chosen = new Set(outcomes.filter((box) => box.checked).map((box) => box.value));
    const look = deep.checked ? everything : said;
    let shown = 0;
    for (const result of results) {
      const fits = (!surface.value || result.surface === surface.value)
        && (!level.value || result.level === level.value)
        && (!chosen.size || chosen.has(result.outcome))
        && (!words.length || words.every((word) => look(result).includes(word)));
      if (result.node.hidden === fits) result.node.hidden = !fits;
      if (fits) shown++;
    }
    for (const group of groups) group.node.hidden = !group.results.some((node) => !node.hidden) && group.results.length > 0;
    count.textContent = shown === results.length ? `${shown} ${plural}.` : `${shown} of ${results.length} ${plural} shown.`;
  };
  const changed = () => { filter(); remember(); };

  // follow obeys the address: #?filter, or #ID of a result.
  const follow = () => {
    const fragment = location.hash.slice(1);
    if (fragment.startsWith('?')) {
      choose(new URLSearchParams(fragment.slice(1)));
      filter();
      by('results').scrollIntoView();
      return;
    }
    let id = fragment;
    try { id = decodeURIComponent(fragment); } catch { /* then it is as it stands */ }
    const result = results.find((one) => one.node.id === id);
    if (!result) return;
    if (result.node.hidden) {
      choose(new URLSearchParams());
      filter();
    }
    result.details.open = true;
    result.node.scrollIntoView();
    result.details.firstElementChild.focus({ preventScroll: true });
  };

  const shownResults = () => results.filter((result) => !result.node.hidden);
  const openAll = (open) => { for (const result of shownResults()) result.details.open = open; };

  form.hidden = false;
  form.addEventListener('submit', (event) => event.preventDefault());
  let waiting;
  text.addEventListener('input', () => {
    clearTimeout(waiting);
    waiting = setTimeout(changed, 120);
  });
  for (const control of [surface, level, deep, ...outcomes]) control.addEventListener('change', changed);
  by('filter-reset').addEventListener('click', () => { choose(new URLSearchParams()); changed(); });
  by('filter-open').addEventListener('click', () => openAll(true));
  by('filter-close').addEventListener('click', () => openAll(false));
  addEventListener('hashchange', follow);

  document.addEventListener('click', (event) => {
    const link = event.target.closest('a');
    if (!link) return;
    if (link.dataset.outcome !== undefined || link.dataset.surface !== undefined) {
      event.preventDefault();
      choose(new URLSearchParams({ outcome: link.dataset.outcome ?? '', surface: link.dataset.surface ?? '' }));
      changed();
      by('results').scrollIntoView();
      text.focus({ preventScroll: true });
    } else if (link.hash && link.hash === location.hash) {
      follow(); // the address does not change, so nobody else would
    }
  });

  document.addEventListener('keydown', (event) => {
    const typing = event.target.closest('input[type="search"], select, textarea');
    if (event.key === 'Escape' && event.target === text && text.value) {
      text.value = '';
      changed();
      event.preventDefault();
      return;
    }
    if (!keys.checked || typing || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === '/') {
      event.preventDefault();
      text.focus();
      text.select();
    } else if (event.key === 'j' || event.key === 'k') {
      const shown = shownResults();
      const at = shown.findIndex((result) => result.node.contains(document.activeElement));
      const next = at === -1 ? 0 : at + (event.key === 'j' ? 1 : -1);
      const result = shown[Math.min(Math.max(next, 0), shown.length - 1)];
      if (!result) return;
      event.preventDefault();
      result.node.scrollIntoView({ block: 'nearest' });
      result.details.firstElementChild.focus();
    }
  });

  // Commands get a button that copies them; where a page may not, the command is selected instead.
  const select = (node) => {
    const range = document.createRange();
    range.selectNodeContents(node);
    const selection = getSelection();
    selection.removeAllRanges();
    selection.addRange(range);
  };
  const addCopy = (root) => {
    for (const pre of root.querySelectorAll('pre.command:not([data-copy])')) {
      pre.dataset.copy = '';
      const button = document.createElement('button');
      button.type = 'button';
      button.className = 'copy';
      button.textContent = 'Copy';
      button.addEventListener('click', async () => {
        const code = pre.querySelector('code');
        try {
          await navigator.clipboard.writeText(code.textContent);
          button.textContent = 'Copied';
        } catch {
          select(code);
          button.textContent = 'Selected';
        }
        setTimeout(() => { button.textContent = 'Copy'; }, 1500);
      });
      pre.prepend(button);
    }
  };
  addCopy(by('again'));
  for (const result of results) {
    if (result.details.open) addCopy(result.node);
    result.details.addEventListener('toggle', () => addCopy(result.node), { once: !result.details.open });
  }

  // On paper nothing can be opened.
  const closed = [];
  addEventListener('beforeprint', () => {
    for (const result of shownResults()) {
      if (!result.details.open && ['fail', 'waived', 'warn'].includes(result.outcome)) {
        result.details.open = true;
        closed.push(result.details);
      }
    }
  });
  addEventListener('afterprint', () => { while (closed.length) closed.pop().open = false; });

  follow();
})();
