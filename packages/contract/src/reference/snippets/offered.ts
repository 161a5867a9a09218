import { operations } from "../../operations.ts"
import { flatInputOf } from "./input.ts"
import type { Call, Snippet, Target } from "./Snippet.ts"
import { argumentsOf, keyNote, optionsOf } from "./typed.ts"

const builtIn: ReadonlySet<string> = new Set(operations.map(({ id }) => id))

const written = (before: string, id: string, call: Call): string | undefined => {
  const input = flatInputOf(call.operation, call.example)
  const start = `${before}${JSON.stringify(id)}, `
  return input === undefined ? undefined : `${start}${argumentsOf(input, call.options, "", start.length + 1)})`
}

/** An operation that the client has no function for is called by its id. */
export const offered = ({ baseUrl }: Target, call: Call): ReadonlyArray<Snippet> => {
  const { bound, example, operation } = call
  if (builtIn.has(operation.id) || example.contentType === "text/event-stream") return []
  if (example.address !== undefined || (example.variables ?? []).length > 0) return []
  const promise = written("const answer = await call(tollgate, ", bound.id, call)
  if (promise === undefined) return []
  return [
    {
      language: "promises",
      title: "Client",
      syntax: "ts",
      code: [
        'import { call } from "@tollgate/client/offered"',
        'import { createClient } from "@tollgate/node"',
        "",
        keyNote,
        `const tollgate = createClient(${optionsOf(baseUrl, call)})`,
        "",
        promise,
        "console.log(answer)",
        "await tollgate.close()"
      ].join("\n")
    }
  ]
}
