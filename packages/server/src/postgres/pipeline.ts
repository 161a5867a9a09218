import type { Statement, Transaction } from "@tollgate/gateway/driver"
import type { QueryResult } from "pg"

export type Send = (statement: Statement) => Promise<QueryResult>

const begin = { text: "BEGIN", values: [] }
const commit = { text: "COMMIT", values: [] }
const rollback = { text: "ROLLBACK", values: [] }

/** Sends all of them before it waits. Throws the first error: the later ones only follow from it. */
const together = async (send: Send, statements: ReadonlyArray<Statement>): Promise<ReadonlyArray<QueryResult>> => {
  const ended = await Promise.allSettled(statements.map(send))
  return ended.map((one) => {
    if (one.status === "rejected") throw one.reason
    return one.value
  })
}

/** `result` is the transaction's. `mistake` is what its own code has thrown; then nothing was written. */
export type Ended<A> = { readonly result: A } | { readonly mistake: unknown }

/** Runs a transaction in two round trips. Throws the driver's error; then nothing was written, or it is not known. */
export const runPipelined = async <A>(
  send: Send,
  { beforeCommit, decide, reads }: Transaction<A>,
  rolledBack: () => Error
): Promise<Ended<A>> => {
  const asked = reads.filter((read) => read !== undefined)
  let found: ReadonlyArray<QueryResult>
  try {
    found = (await together(send, [begin, ...asked])).slice(1)
  } catch (error) {
    await send(rollback).catch(() => {})
    throw error
  }
  let decision: ReturnType<typeof decide>
  try {
    let next = 0
    decision = decide(reads.map((read) => (read === undefined ? [] : (found[next++]?.rows ?? []))))
    beforeCommit()
  } catch (mistake) {
    await send(rollback).catch(() => {})
    return { mistake }
  }
  const written = await together(send, [...decision.writes, commit])
  if (written.at(-1)?.command !== "COMMIT") throw rolledBack()
  return { result: decision.result }
}
