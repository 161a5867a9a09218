import * as Context from "effect/Context"

/** Where callers find this gateway, without a slash at the end: for addresses in answers that lead back to it. */
export const BaseUrl = Context.Reference<string>("@tollgate/gateway/BaseUrl", {
  defaultValue: () => "http://127.0.0.1:8787"
})
