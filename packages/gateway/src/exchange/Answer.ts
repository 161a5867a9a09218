import * as Utf8 from "@tollgate/contract/Utf8"

/** A whole answer, of an upstream or of the gateway itself. */
export interface Answer {
  readonly status: number
  readonly contentType: string | undefined
  readonly headers: Readonly<Record<string, string>>
  readonly bytes: Uint8Array
}

export const json = (body: string, headers: Readonly<Record<string, string>> = {}): Answer => ({
  status: 200,
  contentType: "application/json",
  headers,
  bytes: Utf8.encode(body)
})
