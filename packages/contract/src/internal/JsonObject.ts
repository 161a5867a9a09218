/** Any JSON object, such as the JSON Schema of a tool's input. Interfaces fit too. */
export type JsonObject = object

/** A text of which some values are well known; others are accepted as well. */
export type Word<Known extends string> = Known | (string & {})

/** An object of an answer with a `type` that is not described here. */
export interface OtherAnswer {
  readonly type: string
  readonly [field: string]: unknown
}

/** An object of a request with a `type` that is not described here. A value of an interface has no index signature. */
export type Other = OtherAnswer | { readonly type: string }
