/** Any JSON object, such as the JSON Schema of a tool's input. Interfaces fit too. */
export type JsonObject = object

/** A text of which some values are well known; others are accepted as well. */
export type Word<Known extends string> = Known | (string & {})

/** An object of an answer. Fields that are not described here are kept. */
export interface OpenAnswer {
  readonly [field: string]: unknown
}

/** An object of an answer with a `type` that is not described here. */
export interface OtherAnswer extends OpenAnswer {
  readonly type: string
}

/** An object of a request with a `type` that is not described here. A value of an interface has no index signature. */
export type Other = OtherAnswer | { readonly type: string }
