import { curl, type Find } from "../curl.ts"
import { effect, offered, promises } from "./client.ts"
import { optionHeaders, type Call, type Snippet, type Target } from "./Snippet.ts"
import { sdk } from "./sdk.ts"
import { typedCall } from "./typed.ts"

const shell = ({ baseUrl, find }: Target, call: Call): Snippet => {
  const { bound, example } = call
  const first: Find = (template) => {
    const other = find(template)
    return other === undefined ? undefined : [other.bound, other.examples[0]]
  }
  return {
    language: "curl",
    title: "curl",
    syntax: "sh",
    code: curl(baseUrl, first, bound, example, optionHeaders(call))
  }
}

/** The code of one call: with curl, with the official SDK and with the client. Effect's is another only for streams. */
export const snippetsOf = (target: Target, call: Call): ReadonlyArray<Snippet> => {
  const typed = typedCall(target, call)
  const official = sdk(target.baseUrl, call)
  return [
    shell(target, call),
    ...(typed === undefined ? offered(target, call) : [promises(typed), ...(typed.streams ? [effect(typed)] : [])]),
    ...(official === undefined ? [] : [official])
  ]
}
