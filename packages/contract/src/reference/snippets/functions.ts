import { named } from "../../operations.ts"
import type { Operation } from "../../Operation.ts"

/** The name of the client's function for an operation, and of the one that streams its answer, if there are such. */
const functionsOf = (
  name: string,
  { client = {} }: Operation
): { readonly call?: string; readonly stream?: string } => {
  if (client === false) return {}
  if (client.streamsAs !== undefined) return { stream: client.streamsAs }
  return client.stream === undefined ? { call: name } : { call: name, stream: `${name}Stream` }
}

type Names = ReadonlyMap<string, string>

const byId = (kind: "call" | "stream"): Names =>
  new Map(
    Object.entries(named).flatMap(([name, operation]) => {
      const found = functionsOf(name, operation)[kind]
      return found === undefined ? [] : [[operation.id, found]]
    })
  )

/** The client's function for each operation, by the operation's id, which is a template. */
export const calls: Names = byId("call")
/** Those that stream the answer. */
export const streams: Names = byId("stream")
