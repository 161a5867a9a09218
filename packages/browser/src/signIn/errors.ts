import * as Data from "effect/Data"

/**
 * Nobody is signed in: call `signIn`.
 *
 * - `absent`: nobody signed in, or a reload discarded tokens that were in memory.
 * - `ended`: the server renews this sign-in no longer: it expired or was revoked.
 * - `left`: `signOut` was called.
 */
export class SignedOut extends Data.TaggedError("SignedOut")<{
  readonly message: string
  readonly why: "absent" | "ended" | "left"
}> {}

/** The user or the server declined. `error` is the server's code (RFC 6749, 4.1.2.1), such as `access_denied`. */
export class SignInDeclined extends Data.TaggedError("SignInDeclined")<{
  readonly message: string
  readonly error: string
}> {}

/** The user closed the window, or went back from the server's page. */
export class SignInAbandoned extends Data.TaggedError("SignInAbandoned")<{ readonly message: string }> {}

/**
 * The page's address does not answer a sign-in that this tab started. Its code was not used.
 *
 * - `state`: this tab did not start the sign-in, or it was already answered.
 * - `issuer`: the answer names another server than the one used (RFC 9207).
 * - `late`: the sign-in started too long ago.
 * - `code`: the code is missing, or the server rejected it.
 */
export class ReturnInvalid extends Data.TaggedError("ReturnInvalid")<{
  readonly message: string
  readonly why: "state" | "issuer" | "late" | "code"
}> {}

/**
 * The configuration here or on the server does not allow signing in.
 *
 * - `unannounced`: the address publishes no metadata about an authorization server.
 * - `metadata`: the metadata is inconsistent or unsafe.
 * - `client`: the server refused this client or its request; `error` is the server's code.
 * - `answer`: the token endpoint did not answer with a bearer token.
 */
export class ServerUnusable extends Data.TaggedError("ServerUnusable")<{
  readonly message: string
  readonly why: "unannounced" | "metadata" | "client" | "answer"
  readonly error?: string
}> {}

/** The server is unreachable, overloaded, or does not allow this origin (CORS). A later attempt may succeed. */
export class ServerUnreachable extends Data.TaggedError("ServerUnreachable")<{ readonly message: string }> {}

/**
 * - `insecure`: the page was not loaded over HTTPS or from this machine, so it has no Web Crypto.
 * - `storage`: the browser does not allow sessionStorage, which a redirect needs.
 * - `popup`: the browser blocked the window: call `signInByPopup` in a click handler.
 * - `redirectUri`: it is not an absolute address of this page's origin.
 */
export class PageUnfit extends Data.TaggedError("PageUnfit")<{
  readonly message: string
  readonly why: "insecure" | "storage" | "popup" | "redirectUri"
}> {}
