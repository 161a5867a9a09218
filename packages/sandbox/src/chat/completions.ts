import { Maybe } from "@tollgate/contract/Open"
import { completions as operation } from "@tollgate/contract/operations/completions"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Handler, StreamEvent } from "../BilledAnswer.ts"
import * as Scenario from "../Scenario.ts"
import { id } from "../SeededRandom.ts"
import { type Finish, gather, type Reply, reply } from "../text/reply.ts"
import { billed, type InputUsage, inputUsage } from "../text/tokens.ts"
import {
  chatModel,
  Count,
  decode,
  isChatModel,
  json,
  Sequences,
  sse,
  Texts,
  textsOf,
  unknownModel,
  upTo
} from "../wire/body.ts"
import { created } from "../model/answerer.ts"
import { failure, reportedUsage } from "./chat.ts"

const read = decode(
  Schema.Struct({
    model: Schema.String,
    prompt: Texts,
    max_tokens: Maybe(Count),
    n: Maybe(upTo(8)),
    stop: Maybe(Schema.Union([Schema.NonEmptyString, Sequences])),
    stream: Maybe(Schema.Boolean),
    stream_options: Maybe(Schema.Struct({ include_usage: Maybe(Schema.Boolean) }))
  })
)

interface Generation {
  readonly id: string
  readonly replies: ReadonlyArray<Reply>
  readonly inputUsage: InputUsage
  /** Whether the caller of a stream asked for usage, and gets it. */
  readonly includesUsage: boolean
}

const finishReason = ({ reason }: Finish): string => (reason === "length" ? "length" : "stop")

const answer = ({ id }: Generation, choices: ReadonlyArray<object>, more: object = {}) => ({
  id: `cmpl-${id}`,
  object: "text_completion",
  created,
  model: chatModel,
  choices,
  ...more
})

function* events(generation: Generation): Generator<StreamEvent> {
  const event = (...given: Parameters<typeof answer>) => JSON.stringify(answer(...given))
  const choice = (index: number, text: string, finish_reason: string | null) => ({
    index,
    text,
    logprobs: null,
    finish_reason
  })
  const ends: Array<string> = []
  let output = 0
  for (const [index, { parts }] of generation.replies.entries()) {
    const written = parts()
    let next = written.next()
    for (; next.done !== true; next = written.next()) {
      output += next.value.tokens
      yield { data: event(generation, [choice(index, next.value.text, null)]), tokens: next.value.tokens }
    }
    ends.push(event(generation, [choice(index, "", finishReason(next.value))]))
  }
  for (const data of ends) yield { data, tokens: 0, final: true }
  if (generation.includesUsage)
    yield {
      data: event(generation, [], { usage: reportedUsage({ ...generation.inputUsage, output }) }),
      tokens: 0,
      final: true
    }
  yield { data: "[DONE]", tokens: 0, final: true }
}

/** Completes each prompt, in OpenAI's old format. */
export const completions: Handler = Effect.fnUntraced(function* (request, { scenario }) {
  const { seed, value } = yield* json(request)
  const { max_tokens, model, n, prompt, stop, stream, stream_options } = yield* read(value)
  if (!isChatModel(model)) return yield* unknownModel(model)
  const prompts = textsOf(prompt)
  const asked = {
    limit: max_tokens ?? 16,
    stop: typeof stop === "string" ? [stop] : (stop ?? []),
    events: Scenario.longEvents(scenario)
  }
  const generation: Generation = {
    id: id(seed),
    replies: prompts.flatMap(({ text }) =>
      Array.from({ length: n ?? 1 }, (_, choice) => reply({ ...asked, message: text }, choice))
    ),
    inputUsage: inputUsage(
      prompts.reduce((sum, { tokens }) => sum + tokens, 0),
      0,
      scenario
    ),
    includesUsage: stream_options?.include_usage === true && !Scenario.hidesUsage(scenario)
  }
  if (stream === true)
    return {
      operation: operation.id,
      events: { framing: sse, generate: () => events(generation), failure },
      billed: (output) => billed(generation.inputUsage, output)
    }
  let output = 0
  const choices = generation.replies.map(({ parts }, index) => {
    const { finish, text, tokens } = gather(parts())
    output += tokens
    return { index, text, logprobs: null, finish_reason: finishReason(finish) }
  })
  return {
    operation: operation.id,
    body: answer(generation, choices, { usage: reportedUsage({ ...generation.inputUsage, output }) }),
    billed: billed(generation.inputUsage, output)
  }
})
