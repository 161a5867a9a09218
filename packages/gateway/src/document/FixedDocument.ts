import * as Effect from "effect/Effect"
import { type Coding, codings, type Compress } from "./Compression.ts"

/** What `;q=` says: 0 stands for “not acceptable”. */
const isRefused = (parameters: string): boolean => /^\s*q=0(?:\.0*)?\s*$/i.test(parameters)

/** The compressions that the header `Accept-Encoding` allows. `*` stands for those that it does not name. */
export const acceptedCodings = (header = ""): ReadonlyArray<Coding> => {
  const named = new Map<string, boolean>()
  for (const item of header.split(",")) {
    const [name = "", ...parameters] = item.split(";")
    named.set(name.trim().toLowerCase(), !parameters.some(isRefused))
  }
  return codings.filter((coding) => named.get(coding) ?? named.get("*") ?? false)
}

type Headers = Readonly<Record<string, string | undefined>>
type Form = Coding | "identity"

/** What is sent of a document. */
interface Representation {
  readonly headers: { readonly etag: string; readonly vary: string; readonly "content-encoding"?: Coding }
  /** `undefined`: the caller has it already, and the answer is 304. */
  readonly bytes: Uint8Array | undefined
}

const vary = "Accept-Encoding"

const tagsIn = (ifNoneMatch = ""): ReadonlySet<string> =>
  new Set(ifNoneMatch.split(",").map((tag) => tag.trim().replace(/^W\//, "")))

/** A document that stays the same, as it is and in the compressions that it has. */
export class FixedDocument {
  readonly #hash: string
  readonly #forms: ReadonlyMap<Form, Effect.Effect<Uint8Array>>

  constructor(hash: string, bytes: Uint8Array, compressed: Iterable<readonly [Coding, Effect.Effect<Uint8Array>]>) {
    this.#hash = hash
    this.#forms = new Map<Form, Effect.Effect<Uint8Array>>([...compressed, ["identity", Effect.succeed(bytes)]])
  }

  /** What a caller with these headers gets: the shortest form, or none if it has one that it accepts. */
  choose(headers: Headers): Effect.Effect<Representation> {
    const accepted: ReadonlyArray<Form> = [...acceptedCodings(headers["accept-encoding"]), "identity"]
    const forms = accepted.flatMap((form) => {
      const bytes = this.#forms.get(form)
      return bytes === undefined ? [] : [{ headers: this.#headers(form), bytes }]
    })
    const tags = tagsIn(headers["if-none-match"])
    const had = forms.find(({ headers: { etag } }) => tags.has(etag) || tags.has("*"))
    if (had !== undefined) {
      const { etag } = had.headers
      return Effect.succeed({ headers: { etag, vary }, bytes: undefined })
    }
    const [best] = forms
    return best === undefined
      ? Effect.die(new Error("a document has no form"))
      : Effect.map(best.bytes, (bytes) => ({ headers: best.headers, bytes }))
  }

  /** Each form has a tag of its own, because its bytes differ. */
  #headers(form: Form): Representation["headers"] {
    return form === "identity"
      ? { etag: `"${this.#hash}"`, vary }
      : { etag: `"${this.#hash}-${form}"`, vary, "content-encoding": form }
  }
}

/** Shorter documents are sent as they are: compressing them saves no packet. */
const leastBytes = 1_024

/** A document that is compressed when a caller first accepts it, once for each compression. */
export const fixedDocument = Effect.fnUntraced(function* (
  hash: string,
  bytes: Uint8Array,
  compress: Compress | undefined
) {
  if (compress === undefined || bytes.length < leastBytes) return new FixedDocument(hash, bytes, [])
  const compressed = yield* Effect.forEach(codings, (coding) =>
    Effect.map(Effect.cached(compress(coding, bytes)), (made) => [coding, made] as const)
  )
  return new FixedDocument(hash, bytes, compressed)
})
