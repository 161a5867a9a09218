import * as Utf8 from "@tollgate/contract/Utf8"
import { hash } from "../data/SeededRandom.ts"
import { tokens } from "../text/tokens.ts"

const others = [" a", " the", " of", " and", " to", " in", " is", " it", " on", " as"] as const

const entry = (token: string, logprob: number) => ({ token, logprob, bytes: [...Utf8.encode(token)] })

/** Between -0.5 and 0, the same for the same token at the same place. */
const logprobOf = (token: string, place: number): number => -(hash(`${place} ${token}`) % 5_000) / 10_000

/** Less and less likely than the token itself. */
const alternatives = (token: string, logprob: number, most: number) =>
  Array.from({ length: most }, (_, rank) =>
    rank === 0 ? entry(token, logprob) : entry(`${others[rank % others.length]}${rank}`, logprob - rank)
  )

/** Log probabilities in the OpenAI format, for a text that starts at this place of the answer. */
export const logprobs = (text: string, top: number, start: number) => ({
  content: tokens(text).map((token, index) => {
    const logprob = logprobOf(token, start + index)
    return { ...entry(token, logprob), top_logprobs: alternatives(token, logprob, top) }
  }),
  refusal: null
})
