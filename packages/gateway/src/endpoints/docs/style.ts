import { theme } from "../../html/html.ts"

export const style = `${theme}:root { --code: light-dark(#10161d, #0b0f14); --code-text: #dce3ea; --code-soft: #9aa7b5; --code-line: light-dark(#10161d, #262e38);
  --string: #a5d6a7; --keyword: #8ec7ff; --number: #f6c177; --comment: #93a1b0; --accent-well: light-dark(#e3f1ef, #12302d);
  --mono: ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, monospace; --top: 3.75rem }
* { box-sizing: border-box }
html { scroll-padding-top: calc(var(--top) + 1rem); -webkit-text-size-adjust: 100% }
body { margin: 0; background: var(--card); color: var(--text); font: 1rem/1.6 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif }
a { color: var(--accent); text-underline-offset: .18em; text-decoration-thickness: from-font }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; border-radius: .25rem }
code { font: .875em/1.5 var(--mono); overflow-wrap: anywhere }
.quiet { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap }
.skip { position: absolute; left: 1rem; top: -4rem; z-index: 3; padding: .5rem 1rem; border-radius: .5rem; background: var(--accent); color: var(--on-accent) }
.skip:focus { top: .5rem }
.top { position: sticky; top: 0; z-index: 2; display: flex; align-items: center; gap: 1rem; height: var(--top); padding: 0 1.5rem;
  border-bottom: 1px solid var(--line); background: var(--card) }
.brand { display: flex; align-items: center; gap: .6rem; color: var(--text); font-weight: 650; letter-spacing: -.01em; text-decoration: none }
.brand svg { width: 1.5rem; height: 1.5rem; color: var(--accent) }
.brand small { color: var(--soft); font-size: 1em; font-weight: 400 }
.search { position: relative; flex: 1; display: flex; justify-content: flex-end }
.search input { width: 100%; max-width: 24rem; height: 2.5rem; padding: 0 .875rem; border: 1px solid var(--control); border-radius: .625rem; background: var(--well);
  color: inherit; font: inherit; font-size: .9375rem }
.search input::placeholder { color: var(--soft); opacity: 1 }
.to-console { font-weight: 600; white-space: nowrap }
.try { padding: .25rem .75rem; border-radius: .5rem; background: var(--accent); color: var(--card); font-weight: 600; text-decoration: none }
.open-menu { display: none; min-height: 2.5rem; padding: 0 .875rem; border: 1px solid var(--control); border-radius: .625rem; background: var(--card); color: inherit;
  font: inherit; font-weight: 600; cursor: pointer }
.sheet { display: grid; grid-template-columns: 17.5rem minmax(0, 1fr); max-width: 96rem; margin: 0 auto }
#menu { position: sticky; inset: auto; top: var(--top); display: block; width: auto; height: calc(100dvh - var(--top)); margin: 0; padding: 1.5rem 1rem 3rem 1.5rem; overflow-y: auto;
  border: 0; border-right: 1px solid var(--line); background: var(--card); color: inherit; font-size: .9375rem; scrollbar-width: thin }
#menu h2 { margin: 1.5rem 0 .375rem; padding-left: .625rem; color: var(--soft); font-size: .75rem; font-weight: 650; letter-spacing: .06em; text-transform: uppercase }
#menu ul { margin: 0; padding: 0; list-style: none }
#menu a { display: block; padding: .25rem .625rem; border-radius: .5rem; color: var(--text); line-height: 1.4; text-decoration: none; overflow-wrap: anywhere }
#menu a:hover { background: var(--well) }
#menu a[aria-current] { background: var(--accent-well); color: var(--accent); font-weight: 600 }
main { min-width: 0; padding: 2.5rem 3rem 4rem }
.text { max-width: 50rem }
h1 { margin: 0 0 .5rem; font-size: 2rem; line-height: 1.2; letter-spacing: -.022em; text-wrap: balance; overflow-wrap: anywhere }
h2 { margin: 3rem 0 .75rem; font-size: 1.3125rem; line-height: 1.3; letter-spacing: -.014em }
h3 { margin: 1.75rem 0 .5rem; font-size: 1rem; line-height: 1.4 }
h4 { margin: 1.5rem 0 .5rem; font-size: .9375rem; line-height: 1.4 }
:is(h2, h3, h4) a.here { color: inherit; text-decoration: none }
:is(h2, h3, h4) a.here:hover::after { content: " #"; color: var(--soft) }
p { margin: 0 0 1rem; text-wrap: pretty }
ul, ol { margin: 0 0 1rem; padding-left: 1.25rem }
li > :is(ul, ol) { margin: .25rem 0 }
blockquote { margin: 0 0 1rem; padding: .125rem 0 .125rem 1rem; border-left: 3px solid var(--line); color: var(--soft) }
.picture { margin: 1.5rem 0; overflow-x: auto; border: 1px solid var(--line); border-radius: .875rem }
.picture img { display: block; width: 100%; min-width: 40rem; height: auto }
li { margin: .25rem 0 }
.head > p:not(.lead, .endpoint), .head > ul { max-width: 46rem; overflow-wrap: anywhere }
.head > pre { overflow-x: auto; padding: .75rem 1rem; border: 1px solid var(--line); border-radius: .5rem; font: .8125rem/1.6 var(--mono) }
.lead { max-width: 46rem; color: var(--soft); font-size: 1.1875rem; line-height: 1.5 }
.crumbs { margin: 0 0 .75rem; color: var(--soft); font-size: .875rem }
.crumbs a { color: inherit }
.soft { color: var(--soft) }
.small { font-size: .875rem }
.tag { display: inline-block; padding: .0625rem .5rem; border: 1px solid var(--line); border-radius: 1rem; color: var(--soft); font-size: .75rem; font-weight: 600; line-height: 1.5; white-space: nowrap; vertical-align: .1em }
.tag.pending { border-color: var(--warn-line); background: var(--warn-well); color: var(--warn) }
.tag.free { border-color: transparent; background: var(--accent-well); color: var(--accent) }
.method { font: 650 .75rem/1 var(--mono); color: var(--accent) }
.method.POST { color: light-dark(#5a3fb0, #b7a5ff) }
.endpoint { display: flex; flex-wrap: wrap; align-items: baseline; gap: .25rem .75rem; margin: 1.25rem 0; padding: .75rem 1rem; border: 1px solid var(--line); border-radius: .75rem; background: var(--well) }
.endpoint code { font-size: .9375rem }
.facts { display: grid; grid-template-columns: 1fr 1fr; gap: 1px; margin: 1.5rem 0; overflow: hidden; border: 1px solid var(--line); border-radius: .875rem; background: var(--line) }
.facts div { padding: .875rem 1rem 1rem; background: var(--card) }
.facts dt { color: var(--soft); font-size: .8125rem; font-weight: 600 }
.facts dd { margin: .125rem 0 0; font-size: .9375rem; line-height: 1.45 }
.facts strong { display: block; font-size: 1.0625rem; font-weight: 650; letter-spacing: -.01em }
.notice { margin: 1.5rem 0; padding: .875rem 1.125rem; border: 1px solid var(--line); border-radius: .75rem; background: var(--well); font-size: .9375rem }
.notice.warn { border-color: var(--warn-line); background: var(--warn-well) }
.notice > :last-child { margin-bottom: 0 }
.notice p, .notice ul { margin-bottom: .5rem }
.table { margin: 0 0 1.25rem; overflow-x: auto; border: 1px solid var(--line); border-radius: .75rem }
table { width: 100%; border-collapse: collapse; font-size: .9375rem; line-height: 1.5 }
th, td { padding: .5625rem .875rem; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top }
tr:last-child > * { border-bottom: 0 }
td code, tbody th code { white-space: nowrap }
thead th::first-letter { text-transform: uppercase }
thead :is(th, td) { background: var(--well); color: var(--soft); font-size: .8125rem; font-weight: 600; white-space: nowrap }
tbody th { font-weight: 600 }
tbody th code { font-weight: 500; overflow-wrap: normal }
.meaning { display: block; min-width: 14rem; color: var(--soft); font-weight: 400 }
tr:target > * { background: var(--accent-well) }
.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap }
.type { color: var(--soft); white-space: nowrap }
.needed { color: var(--accent); font-size: .8125rem; font-weight: 600 }
.code { margin: 0 0 1.25rem; overflow: hidden; border: 1px solid var(--code-line); border-radius: .875rem; background: var(--code); color: var(--code-text) }
.code figcaption { display: flex; align-items: center; justify-content: space-between; min-height: 2.5rem; padding: .25rem .5rem .25rem 1rem; border-bottom: 1px solid #ffffff17; color: var(--code-soft); font-size: .8125rem; font-weight: 600 }
.code button { min-height: 1.875rem; padding: 0 .75rem; border: 1px solid #ffffff2e; border-radius: .5rem; background: none; color: var(--code-text); font: inherit; cursor: pointer }
.code button:hover { background: #ffffff14 }
.code pre { margin: 0; padding: 1rem 1.125rem; overflow-x: auto; font: .8125rem/1.65 var(--mono); tab-size: 2; scrollbar-width: thin; scrollbar-color: #ffffff40 transparent }
.code pre:focus-visible { outline-offset: -3px; outline-color: var(--keyword) }
.code code { font: inherit; overflow-wrap: normal }
.code i { font-style: normal }
.string { color: var(--string) } .keyword { color: var(--keyword) } .code .number { color: var(--number) } .comment { color: var(--comment) }
.languages { display: flex; flex-wrap: wrap; gap: .25rem; margin: 0 0 .75rem; padding: .25rem; border: 1px solid var(--line); border-radius: .75rem; background: var(--well) }
.languages label { position: relative; flex: 1; display: grid; place-items: center; min-height: 2.25rem; padding: 0 .75rem; border-radius: .5rem; color: var(--soft); font-size: .875rem; font-weight: 600; white-space: nowrap; cursor: pointer }
.languages input { position: absolute; inset: 0; width: 100%; height: 100%; margin: 0; opacity: 0; cursor: pointer }
.languages label:has(:checked) { background: var(--card); color: var(--text); box-shadow: 0 1px 3px #00000026, 0 0 0 1px var(--line) }
.languages label:has(:focus-visible) { outline: 3px solid var(--accent); outline-offset: 2px }
@supports selector(:has(a)) {
  .examples [data-language] { display: none }
  .examples:has([value=curl]:checked) [data-language=curl], .examples:has([value=effect]:checked) [data-language=effect],
  .examples:has([value=promises]:checked) [data-language=promises], .examples:has([value=sdk]:checked) [data-language=sdk] { display: block }
}
.operation { display: grid; grid-template-columns: minmax(0, 1fr); gap: 0 3rem; max-width: 82rem }
.operation > .examples { margin-top: 1rem }
.operation > .rest > section:first-child > h2 { margin-top: 1.5rem }
.rows { margin: 0 0 1rem; padding: 0; border: 1px solid var(--line); border-radius: .875rem; list-style: none; overflow: hidden }
.rows li { margin: 0; border-bottom: 1px solid var(--line) }
.rows li:last-child { border: 0 }
.rows a { display: grid; grid-template-columns: minmax(0, 1fr) auto; gap: 0 1.5rem; padding: .75rem 1.125rem; color: inherit; text-decoration: none }
.rows a:hover { background: var(--well) }
.rows a:focus-visible { outline-offset: -3px }
.rows b { color: var(--accent); font: 600 .9375rem/1.5 var(--mono); overflow-wrap: anywhere }
.rows.words b { font-family: inherit }
.rows .price { align-self: center; grid-column: 2; grid-row: 1 / span 2; text-align: right; font-size: .875rem; font-variant-numeric: tabular-nums; white-space: nowrap }
.rows .what { grid-column: 1; color: var(--soft); font-size: .9375rem }
.cards { display: grid; grid-template-columns: repeat(auto-fit, minmax(max(11.5rem, 30%), 1fr)); gap: .875rem; margin: 1.5rem 0 0; padding: 0; list-style: none }
.cards li { margin: 0 }
.cards a { display: block; height: 100%; padding: 1rem 1.125rem; border: 1px solid var(--line); border-radius: .875rem; color: inherit; text-decoration: none }
.cards a:hover { border-color: var(--accent); background: var(--well) }
.cards b { display: block; color: var(--accent); font-weight: 650 }
.cards span { color: var(--soft); font-size: .9375rem; line-height: 1.45 }
.hero { display: grid; grid-template-columns: minmax(0, 1fr); gap: 1.5rem 3rem; align-items: center; max-width: 82rem }
.hero h1 { font-size: 2.5rem }
.hero .code { margin: 0 }
.start { max-width: 82rem }
.contents { columns: 2; column-gap: 2rem; max-width: 46rem; margin: 1.5rem 0 2rem; padding: .875rem 1.25rem; border: 1px solid var(--line); border-radius: .875rem; background: var(--well); list-style: none; font-size: .9375rem }
.contents li { margin: 0; padding: .125rem 0; break-inside: avoid }
.chapter { border-top: 1px solid var(--line) }
.chapter > summary { padding: .75rem 0; font-size: 1.3125rem; font-weight: 650; letter-spacing: -.014em; cursor: pointer }
.chapter > h2 { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); margin: -3rem 0 0 }
footer { max-width: 82rem; margin-top: 3.5rem; padding-top: 1.25rem; border-top: 1px solid var(--line); color: var(--soft); font-size: .875rem }
footer p { margin: 0 }
@media (min-width: 84rem) {
  .operation { grid-template-columns: minmax(0, 1fr) 32rem }
  .operation > .head { grid-column: 1; grid-row: 1 }
  .operation > .rest { grid-column: 1; grid-row: 2 }
  .operation > .examples { position: sticky; top: calc(var(--top) + 1.5rem); grid-column: 2; grid-row: 1 / span 2; align-self: start; max-height: calc(100dvh - var(--top) - 3rem); margin: 0; overflow-y: auto; scrollbar-width: thin }
  .operation > .examples > h2 { margin-top: 0 }
  .hero { grid-template-columns: minmax(0, 1fr) 32rem }
}
@media (min-width: 100rem) { .operation, .hero { grid-template-columns: minmax(0, 1fr) 38rem } }
@media (max-width: 60rem) {
  .sheet { display: block }
  .open-menu { display: block }
  .top { padding: 0 1rem; gap: .625rem }
  .brand small { display: none }
  main { padding: 1.5rem 1rem 3rem }
  #menu:not(:popover-open) { display: none }
  #menu { position: fixed; inset: var(--top) 0 0 0; width: 100%; max-width: none; height: auto; padding: .5rem 1rem 3rem; border: 0 }
  #menu a { padding: .5rem .625rem }
  h1, .hero h1 { font-size: 1.625rem }
  h2 { margin-top: 2.25rem }
  .lead { font-size: 1.0625rem }
}
@media (max-width: 36rem) {
  .rows a { grid-template-columns: minmax(0, 1fr) }
  .rows .price { grid-column: 1; grid-row: auto; justify-self: start; margin-top: .125rem; text-align: left; white-space: normal }
  td code, tbody th code { white-space: normal; overflow-wrap: anywhere }
  tbody tr > :first-child:has(> code) { min-width: 8.5rem }
  th, td { padding-inline: .625rem }
  .contents { columns: 1 }
  .facts div { padding: .75rem .875rem }
  .brand span { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%) }
}
@media (forced-colors: active) { .languages label:has(:checked) { outline: 2px solid } }
`
