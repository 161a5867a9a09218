import type { Head } from "@tollgate/contract/carrier/Carrier"
import type { Decoded } from "../../exchange/Exchange.ts"

/** JSON, or no type at all: the body is parsed anyway. */
export const isJson = (contentType: string | undefined): boolean =>
  contentType === undefined ||
  contentType === "application/json" ||
  /^(?:application|text)\/(?:[a-z0-9.+-]+\+)?json\s*(?:;|$)/i.test(contentType.trim())

export const isSuccess = (status: number): boolean => status >= 200 && status < 300

/** A successful answer of this media type. Parameters such as `charset` are ignored. */
export const hasType = ({ headers, status }: Head, type: string): boolean =>
  isSuccess(status) && (headers["content-type"] ?? "").replace(/;.*/s, "").trim().toLowerCase() === type

export const isEventStream = (_: Decoded, head: Head): boolean => hasType(head, "text/event-stream")
