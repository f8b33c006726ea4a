// SPDX-License-Identifier: Apache-2.0
// Searches all pages. The index and the library that reads it are loaded when somebody begins to search, as scripts: a page that is opened
// as a file may load nothing else. Without this script the pages read as they are.
(() => {
  'use strict';
  const up = document.documentElement.dataset.up;
  const form = document.getElementById('site-search');
  const query = document.getElementById('site-query');
  const found = document.getElementById('site-found');
  const count = document.getElementById('site-count');
  const list = found.querySelector('ul');
  const most = 20;

  const load = (src) => new Promise((done, failed) => {
    const script = document.createElement('script');
    script.src = up + src;
    script.onload = done;
    script.onerror = () => failed(new Error(src + ' cannot be loaded'));
    document.head.append(script);
  });
  let ready;
  const index = () => (ready ??= Promise.all([load('assets/minisearch/minisearch.js'), load('assets/search-places.js')]).then(() => {
    const search = new MiniSearch({
      fields: ['title', 'page', 'text'],
      searchOptions: { boost: { title: 4, page: 1.5 }, prefix: true, combineWith: 'AND' },
    });
    search.addAll(window.searchPlaces);
    return search;
  }));

  // What is called as somebody asks comes first; where nothing has all the words, some of them and words with a mistake in them will do.
  const places = (search, text) => {
    let hits = search.search(text);
    if (hits.length === 0) hits = search.search(text, { combineWith: 'OR', fuzzy: 0.2 });
    const key = text.trim().toUpperCase();
    const exact = window.searchPlaces.filter((place) => place.key === key);
    const rest = hits.filter((hit) => !exact.some((place) => place.id === hit.id));
    return [...exact.map((place) => ({ place, terms: [] })), ...rest.map((hit) => ({ place: window.searchPlaces[hit.id], terms: hit.terms }))];
  };

  // The words around the first one that was found. Nothing of a text is made into markup.
  const near = (place, terms) => {
    const node = document.createElement('span');
    node.className = 'near';
    const lower = place.text.toLowerCase();
    const term = terms.find((one) => lower.includes(one)) ?? '';
    const at = term ? lower.indexOf(term) : 0;
    const from = at > 60 ? place.text.indexOf(' ', at - 60) + 1 : 0;
    node.append((from > 0 ? '… ' : '') + place.text.slice(from, at));
    if (term) {
      const mark = document.createElement('mark');
      mark.textContent = place.text.slice(at, at + term.length);
      node.append(mark);
    }
    const end = at + term.length;
    node.append(place.text.slice(end, end + 140) + (place.text.length > end + 140 ? ' …' : ''));
    return node;
  };

  const show = (hits, text) => {
    list.replaceChildren(...hits.slice(0, most).map(({ place, terms }) => {
      const item = document.createElement('li');
      const to = document.createElement('a');
      to.href = up + place.url;
      const title = document.createElement('b');
      title.textContent = place.title;
      const page = document.createElement('span');
      page.className = 'page';
      page.textContent = place.page === place.title ? '' : place.page;
      to.append(page, title, near(place, terms));
      item.append(to);
      return item;
    }));
    count.textContent = hits.length === 0 ? 'Nothing has “' + text + '”.'
      : hits.length === 1 ? '1 place' : hits.length > most ? 'The first ' + most + ' of ' + hits.length + ' places' : hits.length + ' places';
    found.dataset.for = text; // whose places these are
    found.hidden = false;
  };

  let asked = 0;
  const ask = async () => {
    const text = query.value.trim();
    const turn = ++asked;
    if (!text) {
      found.hidden = true;
      return;
    }
    try {
      const search = await index();
      if (turn === asked) show(places(search, text), text);
    } catch (problem) {
      ready = undefined;
      list.replaceChildren();
      count.textContent = 'The search does not work here: ' + problem.message;
      found.hidden = false;
    }
  };

  const links = () => [...list.querySelectorAll('a')];
  query.addEventListener('input', ask);
  query.addEventListener('focus', () => { index().catch(() => { ready = undefined; }); if (query.value.trim()) ask(); });
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    await ask();
    links()[0]?.click();
  });
  form.addEventListener('keydown', (event) => {
    const all = links();
    const at = all.indexOf(document.activeElement);
    if (event.key === 'ArrowDown' && all.length > 0) all[Math.min(at + 1, all.length - 1)].focus();
    else if (event.key === 'ArrowUp' && at > 0) all[at - 1].focus();
    else if (event.key === 'ArrowUp' && at === 0) query.focus();
    else if (event.key === 'Escape') { found.hidden = true; query.focus(); } else return;
    event.preventDefault();
  });
  document.addEventListener('keydown', (event) => {
    if (event.key === '/' && !event.ctrlKey && !event.metaKey && !/^(INPUT|TEXTAREA|SELECT)$/.test(document.activeElement.tagName)) {
      event.preventDefault();
      query.focus();
    }
  });
  document.addEventListener('click', (event) => { if (!form.contains(event.target)) found.hidden = true; });
  list.addEventListener('click', () => { found.hidden = true; });
  form.hidden = false;

  const contents = document.querySelector('.contents');
  if (contents && matchMedia('(max-width: 79.99rem)').matches) contents.open = false;
})();
