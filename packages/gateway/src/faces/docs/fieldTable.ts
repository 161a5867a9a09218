import { type Html, html } from "../../html/html.ts"
import type { Field } from "./fields.ts"
import { inline } from "./markdown.ts"
import { table } from "./table.ts"

/** Nothing if there are none. `word` marks the fields that are never missing. */
export const fieldTable = (label: string, fields: ReadonlyArray<Field>, word: "required" | "always"): Html | false =>
  fields.length > 0 &&
  table({
    label,
    columns: [{ title: "Name" }, { title: "Type" }, { title: "Notes" }],
    rows: fields.map(({ name, note, required, type }) => [
      html`<code>${name}</code>`,
      html`<span class="type">${type}</span>`,
      html`${required && html`<span class="needed">${word}</span>`} ${inline(note)}`
    ])
  })
