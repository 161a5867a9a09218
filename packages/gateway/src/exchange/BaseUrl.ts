import * as Context from "effect/Context"

/** The URL of this gateway as callers see it, for links in answers. Without a trailing slash. */
export const BaseUrl = Context.Reference<string>("@tollgate/gateway/BaseUrl", {
  defaultValue: () => "http://127.0.0.1:8787"
})
