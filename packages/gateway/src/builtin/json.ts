import * as Utf8 from "@tollgate/contract/Utf8"
import type { Answer } from "../upstream/Protocol.ts"

export const json = (body: string, headers: Readonly<Record<string, string>> = {}): Answer => ({
  status: 200,
  contentType: "application/json",
  headers,
  bytes: Utf8.encode(body)
})
