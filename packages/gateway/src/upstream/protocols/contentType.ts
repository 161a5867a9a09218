import type { Head } from "@tollgate/contract/carrier/Carrier"
import type { Decoded } from "../../Exchange.ts"

export const isSuccess = (status: number): boolean => status >= 200 && status < 300

/** A successful answer of this media type. Parameters such as `charset` are ignored. */
export const hasType = ({ headers, status }: Head, type: string): boolean =>
  isSuccess(status) && (headers["content-type"] ?? "").replace(/;.*/s, "").trim().toLowerCase() === type

export const isEventStream = (_: Decoded, head: Head): boolean => hasType(head, "text/event-stream")
