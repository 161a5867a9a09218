import { type Html, html } from "../../html/html.ts"

interface Column {
  readonly title: string
  readonly isNumber?: boolean
}

export interface Table {
  /** What a screen reader calls it. */
  readonly label: string
  readonly columns: ReadonlyArray<Column>
  readonly rows: ReadonlyArray<ReadonlyArray<Html>>
  /** The ids of the rows, for links to them. */
  readonly ids?: ReadonlyArray<string>
}

const numeric = ({ isNumber = false }: Column = { title: "" }): Html | false => isNumber && html` class="number"`

/** The first cell of a row is its heading, unless it is empty. A table that is wider than the page scrolls by itself. */
export const table = ({ columns, ids = [], label, rows }: Table): Html =>
  html`<div class="table" role="group" aria-label="${label}" tabindex="0">
    <table>
      <thead>
        <tr>
          ${columns.map((column) =>
            column.title === "" ? html`<td></td>` : html`<th scope="col" ${numeric(column)}>${column.title}</th>`
          )}
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          (cells, i) =>
            html`<tr ${ids[i] !== undefined && html`id="${ids[i]}"`}>
              ${cells.map((cell, j) =>
                j === 0 && cell.toString() !== ""
                  ? html`<th scope="row">${cell}</th>`
                  : html`<td${numeric(columns[j])}>${cell}</td>`
              )}
            </tr>`
        )}
      </tbody>
    </table>
  </div>`
