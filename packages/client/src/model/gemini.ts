import { type Event, list, object, text } from "../events/Event.ts"
import type { Finish, Protocol } from "./Protocol.ts"

const finishes: Readonly<Record<string, Finish>> = {
  STOP: "stop",
  MAX_TOKENS: "length",
  SAFETY: "refusal",
  RECITATION: "refusal",
  BLOCKLIST: "refusal",
  PROHIBITED_CONTENT: "refusal",
  SPII: "refusal"
}

const candidateOf = (answer: Event): Event => list(answer["candidates"])[0] ?? {}

const partsOf = (answer: Event): ReadonlyArray<Event> => list(object(candidateOf(answer)["content"])["parts"])

/** Changes the body of an input. */
const withBody = (input: Event, change: (body: Event) => Event): Event => ({
  ...input,
  body: change(object(input["body"]))
})

const withContents = (input: Event, ...added: ReadonlyArray<Event>): Event =>
  withBody(input, (body) => ({ ...body, contents: [...list(body["contents"]), ...added] }))

const contentOf = (answer: Event): Event => ({ role: "model", ...object(candidateOf(answer)["content"]) })

const user = (parts: ReadonlyArray<Event>): Event => ({ role: "user", parts })

export const gemini: Protocol = {
  dialect: {
    keywords: new Set("format minItems maxItems minimum maximum prefixItems".split(" ")),
    objects: "open",
    required: "as given"
  },
  read: (answer) => {
    const requested = partsOf(answer).flatMap(({ functionCall }) => {
      const { args, id, name } = object(functionCall)
      return functionCall === undefined ? [] : [{ id: text(id), name: text(name) ?? "", arguments: args ?? {} }]
    })
    const isBlocked = (text(object(answer["promptFeedback"])["blockReason"]) ?? "") !== ""
    const reason = text(candidateOf(answer)["finishReason"]) ?? ""
    return {
      text: partsOf(answer)
        .map((part) => (part["thought"] === true ? "" : (text(part["text"]) ?? "")))
        .join(""),
      requested,
      finish: isBlocked ? "refusal" : (finishes[reason] ?? "other")
    }
  },
  withFormat: (input, { schema }) =>
    withBody(input, (body) => ({
      ...body,
      generationConfig: {
        ...object(body["generationConfig"]),
        responseMimeType: "application/json",
        responseJsonSchema: schema
      }
    })),
  withTools: (input, tools) =>
    withBody(input, (body) => ({
      ...body,
      tools: [
        ...list(body["tools"]),
        {
          functionDeclarations: tools.map(({ parameters, ...tool }) => ({ ...tool, parametersJsonSchema: parameters }))
        }
      ]
    })),
  withReply: (input, answer, said) =>
    withContents(input, contentOf(answer), ...(said === undefined ? [] : [user([{ text: said }])])),
  withResults: (input, answer, results) =>
    withContents(
      input,
      contentOf(answer),
      user(
        results.map(({ isError, output, requested: { id, name } }) => ({
          functionResponse: {
            ...(id === undefined ? {} : { id }),
            name,
            response: isError ? { error: output } : { output: output ?? null }
          }
        }))
      )
    )
}
