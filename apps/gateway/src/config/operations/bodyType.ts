import { multipartType } from "@tollgate/contract/Upload"

/** How a body is sent, by what its entry says. */
interface BodyKind {
  /** Callers send it in this type, and it is sent on as it is. Missing: callers send JSON. */
  readonly bodyType?: string
  /** The upstream gets JSON under this type, or as a form. */
  readonly sentAs?: "form" | { readonly json: string }
}

const isJsonType = /^application\/(?:json|.+\+json)$/

export const bodyKindOf = (type = "json"): BodyKind => {
  if (type === "json" || type === "application/json") return {}
  if (type === "form" || type === "application/x-www-form-urlencoded") return { sentAs: "form" }
  if (type === "multipart") return { bodyType: multipartType }
  return isJsonType.test(type) ? { sentAs: { json: type } } : { bodyType: type }
}
