import { theme } from "@tollgate/gateway/html"
import { createHash } from "node:crypto"

export const style = `
${theme}* { box-sizing: border-box }
body { margin: 0; min-height: 100vh; min-height: 100dvh; padding: 1.25rem 1rem 3rem; background: var(--page); color: var(--text);
  font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; -webkit-text-size-adjust: 100% }
header, main { width: 100%; max-width: 32rem; margin: 0 auto }
header { display: flex; align-items: center; justify-content: space-between; gap: 1rem; min-height: 2.75rem; margin-bottom: 1rem }
.brand { display: flex; align-items: center; gap: .6rem; font-weight: 650; letter-spacing: -.01em }
.brand svg { width: 1.5rem; height: 1.5rem; color: var(--accent) }
.who { display: flex; align-items: center; gap: .75rem; min-width: 0; color: var(--soft); font-size: .875rem }
.who span { overflow: hidden; text-overflow: ellipsis; white-space: nowrap }
.card { padding: 1.75rem; border: 1px solid var(--line); border-radius: 1rem; background: var(--card);
  box-shadow: 0 1px 2px #0000000a, 0 8px 24px #0000000f }
h1 { margin: 0 0 .375rem; font-size: 1.375rem; line-height: 1.3; letter-spacing: -.015em; text-wrap: balance; overflow-wrap: anywhere }
h2 { margin: 1.5rem 0 .5rem; font-size: 1rem; line-height: 1.4 }
p { margin: 0 0 1rem; text-wrap: pretty }
p:last-child { margin-bottom: 0 }
.soft { color: var(--soft) }
.small { font-size: .875rem }
.soft strong { color: var(--text) }
form + p { margin-top: 1.25rem }
.aside { display: flex; flex-wrap: wrap; align-items: center; gap: .5rem .75rem; margin-top: 1.25rem; padding-top: 1.25rem; border-top: 1px solid var(--line) }
a { color: var(--accent); text-underline-offset: .15em }
code { font: .875em/1.4 ui-monospace, "SF Mono", Menlo, Consolas, monospace; overflow-wrap: anywhere }
.notice { margin: 1rem 0; padding: .75rem .875rem; border: 1px solid var(--line); border-radius: .625rem; background: var(--well); font-size: .9375rem }
.notice.warn { border-color: var(--warn-line); background: var(--warn-well); color: var(--warn) }
.facts { display: grid; grid-template-columns: minmax(5.5rem, max-content) minmax(0, 1fr); gap: .5rem 1.25rem; margin: 1.25rem 0; padding: 1rem 1.125rem;
  border: 1px solid var(--line); border-radius: .75rem; background: var(--well); font-size: .9375rem }
.facts dt { color: var(--soft) }
.facts dd { margin: 0; min-width: 0; overflow-wrap: anywhere }
.facts dd code, .facts dd .small { display: block; color: var(--soft) }
.facts dd code { word-break: break-all }
.facts strong { font-weight: 650 }
.request { --edge: color-mix(in srgb, var(--text) 35%, transparent); margin: 0; max-height: 20rem; overflow: auto; white-space: pre-wrap;
  font-family: ui-monospace, monospace; font-size: .8125rem;
  /* A shadow where there is more to scroll to. What moves with the text covers it at the ends. */
  background: linear-gradient(var(--well) 40%, transparent) 0 0 / 100% 3rem local, linear-gradient(transparent, var(--well) 60%) 0 100% / 100% 3rem local,
    linear-gradient(var(--edge), transparent) 0 1px / 100% 1rem scroll, linear-gradient(transparent, var(--edge)) 0 calc(100% - 1px) / 100% 1rem scroll;
  background-repeat: no-repeat }
.request details { white-space: normal }
.request summary { cursor: pointer; white-space: pre-wrap }
.request details > div { padding: .5rem 0; border-bottom: 1px solid var(--line); white-space: pre-wrap }
.allows { margin: 0; padding: 0; list-style: none }
.allows li { position: relative; padding: .25rem 0 .25rem 1.75rem }
.allows li::before { content: ""; position: absolute; left: .25rem; top: .6rem; width: .8rem; height: .4rem; border: solid var(--accent);
  border-width: 0 0 2.5px 2.5px; transform: rotate(-45deg) }
label { display: block; font-weight: 600 }
fieldset { min-width: 0; margin: 1.5rem 0 0; padding: 0; border: 0 }
legend { padding: 0; font-weight: 650 }
.field { margin: 1.25rem 0 }
.hint { margin: .25rem 0 .5rem; color: var(--soft); font-size: .875rem }
.error { margin: .375rem 0 .5rem; color: var(--bad); font-size: .9375rem; font-weight: 600 }
input[type=text], input[type=password] { width: 100%; min-height: 2.75rem; padding: .5rem .75rem; border: 1px solid var(--control);
  border-radius: .5rem; background: var(--card); color: inherit; font: inherit }
select { min-height: 2.75rem; padding: .5rem .75rem; border: 1px solid var(--control); border-radius: .5rem; background: var(--card);
  color: inherit; font: inherit }
.offered { max-height: 33rem; margin: .5rem 0 0; padding: 0; overflow: auto; list-style: none }
.offered li { display: flex; align-items: flex-start; gap: .75rem; padding: .5rem .875rem; border-bottom: 1px solid var(--line) }
.offered li:last-child { border-bottom: 0 }
.offered input { flex: none; width: 1.125rem; height: 1.125rem; margin: .2rem 0 0; accent-color: var(--accent) }
.offered label { flex: 1; min-width: 0; font-weight: 500 }
.offered .small { display: block; color: var(--soft); font-weight: 400 }
/* Who lets a client call everything has nothing to choose. */
fieldset:has([name=allow][value=all]:checked) > :is(.offered, details) { display: none }
fieldset details { margin-top: .5rem; padding: 0 .875rem }
fieldset details input { margin-top: .25rem }
.sum { display: flex; align-items: center; gap: .75rem; margin-top: 1.5rem; padding: .75rem .875rem; border: 1px solid var(--accent);
  border-radius: .75rem; background: var(--well) }
.sum p { flex: 1; margin: 0; font-weight: 650 }
.sum button { min-height: 2.25rem; padding: .25rem .75rem; font-size: .875rem }
input[aria-invalid=true], select[aria-invalid=true] { border-color: var(--bad) }
.choice { display: flex; align-items: center; gap: .75rem; margin-top: .5rem; padding: .625rem .875rem; min-height: 3.5rem;
  border: 1px solid var(--line); border-radius: .75rem }
.choice:has(input[type=radio]:checked) { border-color: var(--accent); background: var(--well) }
.choice input[type=radio] { flex: none; width: 1.125rem; height: 1.125rem; margin: 0; accent-color: var(--accent) }
.choice label { flex: 1; font-weight: 500 }
.choice .small { display: block; color: var(--soft); font-weight: 400 }
.amount { display: flex; align-items: center; gap: .5rem; flex: none }
.amount input { width: 6.5rem; text-align: right; font-variant-numeric: tabular-nums }
.actions { display: flex; gap: .75rem; margin-top: 1.5rem }
button { min-height: 2.75rem; padding: .5rem 1.125rem; border: 1px solid var(--control); border-radius: .625rem; background: var(--card);
  color: inherit; font: inherit; font-weight: 600; text-wrap: balance; cursor: pointer }
button:hover { background: var(--well) }
button.main { border-color: transparent; background: var(--accent); color: var(--on-accent) }
button.main:hover { filter: brightness(1.08) }
.actions button { flex: 1 }
.who button, .aside button { min-height: 2.25rem; padding: .25rem .75rem; font-size: .875rem }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px }
details { margin-top: 1.5rem }
summary { cursor: pointer; color: var(--soft) }
@media (max-width: 30rem) {
  .card { padding: 1.25rem }
  .facts { grid-template-columns: minmax(0, 1fr); gap: 0 }
  .facts dd + dt { margin-top: .75rem }
  .choice { flex-wrap: wrap }
  .stack { flex-direction: column }
  .choice label { flex-basis: calc(100% - 2rem) }
  .amount { margin-left: 1.875rem }
  .choice:not(:has(input[type=radio])) .amount { margin-left: 0 }
  .who span { max-width: 8rem }
}
@media (forced-colors: active) { .choice:has(input:checked) { border-width: 3px } }
`

/** The only style that a page may have. */
export const styleHash = `'sha256-${createHash("sha256").update(style).digest("base64")}'`
