import type { AnswerPart, CallPart, OwnPart, Sealed } from "../Conversation.ts"
import { stringify } from "../exact.ts"
import { isMissing, isObject, type Json, object, text } from "../json.ts"
import { camel } from "./names.ts"
import { readSealed } from "./sealed.ts"

/** Parts of Google have no type: the field that is there says it. */
export const ownPart = (part: Json): OwnPart => ({
  type: "own",
  shape: "generateContent",
  value: { type: Object.keys(part).at(-1) ?? "part", ...part }
})

/** Reads a part of the model. A signature on a text is reasoning without text before it. */
export const readAnswered = (
  given: Json,
  at: string,
  idOf: (name: string, given: unknown) => string
): ReadonlyArray<AnswerPart> => {
  const part = camel(given, at)
  const signature = part["thoughtSignature"]
  const sealed = typeof signature === "string" && signature !== "" ? readSealed(signature) : undefined
  if (isObject(part["functionCall"])) {
    const { args, id, name: called } = part["functionCall"]
    const name = text(called, `${at}.functionCall.name`)
    const given = stringify(object(args, `${at}.functionCall.args`))
    return [{ type: "call", id: idOf(name, id), name, arguments: given, ...(sealed === undefined ? {} : { sealed }) }]
  }
  const said = part["text"]
  if (typeof said === "string" && part["thought"] === true) return [{ type: "reasoning", text: said, sealed }]
  return [
    ...(sealed === undefined ? [] : [{ type: "reasoning", text: "", sealed } as const]),
    ...(typeof said !== "string" ? [ownPart(part)] : said === "" ? [] : [{ type: "text", text: said } as const])
  ]
}

/** Writes parts of the model. What `sign` and `call` do is different in a request and in an answer. */
export const writeAnswered = (
  parts: ReadonlyArray<AnswerPart>,
  sign: (sealed: Sealed) => string | undefined,
  call: (part: CallPart) => Json
): ReadonlyArray<Json> => {
  const written: Array<Json> = []
  /** It goes onto the text that follows. */
  let waiting: Json = {}
  const add = (part: Json, sealed?: Sealed): void => {
    const thoughtSignature = sealed && sign(sealed)
    written.push(thoughtSignature === undefined ? part : { ...part, thoughtSignature })
  }
  const flush = (): void => {
    if (!isMissing(waiting["thoughtSignature"])) written.push({ text: "", ...waiting })
    waiting = {}
  }
  for (const part of parts) {
    if (part.type === "own") continue
    if (part.type === "text" || part.type === "refusal") {
      if (part.text === "") continue
      written.push({ text: part.text, ...waiting })
      waiting = {}
      continue
    }
    flush()
    if (part.type === "call") add({ functionCall: call(part) }, part.sealed)
    else if (part.text !== "") add({ text: part.text, thought: true }, part.sealed)
    else if (part.sealed !== undefined) {
      const thoughtSignature = sign(part.sealed)
      if (thoughtSignature !== undefined) waiting = { thoughtSignature }
    }
  }
  flush()
  return written
}
