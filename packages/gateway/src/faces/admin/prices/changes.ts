import type { PriceChange, PriceLine } from "@tollgate/contract/admin/Prices"

/** More are counted and not listed. */
const most = 1_000

const idOf = ({ model, operation }: PriceLine): string => JSON.stringify([operation, model])

const shown = (line: PriceLine | undefined): PriceChange["before"] =>
  line === undefined ? null : { words: line.words, config: line.config }

/** The prices that differ. Words leave out details, so the written prices are compared too. */
export const changesBetween = (before: ReadonlyArray<PriceLine>, after: ReadonlyArray<PriceLine>) => {
  const old = new Map(before.map((line) => [idOf(line), line]))
  const next = new Map(after.map((line) => [idOf(line), line]))
  const changes: Array<PriceChange> = []
  for (const id of new Set([...old.keys(), ...next.keys()])) {
    const [was, is] = [old.get(id), next.get(id)]
    const { model = null, operation = "" } = is ?? was ?? {}
    const change = { operation, model, before: shown(was), after: shown(is) }
    if (JSON.stringify(change.before) !== JSON.stringify(change.after)) changes.push(change)
  }
  return { changed: changes.length, changes: changes.slice(0, most) }
}
