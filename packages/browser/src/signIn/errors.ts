import * as Data from "effect/Data"

/**
 * Nobody is signed in: call `signIn`.
 *
 * - `absent`: nobody was, or the page was loaded anew, which forgets tokens that are in memory.
 * - `ended`: the server gives no more tokens for this sign-in: it ran out, or was revoked.
 * - `left`: by `signOut`.
 */
export class SignedOut extends Data.TaggedError("SignedOut")<{
  readonly message: string
  readonly why: "absent" | "ended" | "left"
}> {}

/** The user, or the server, said no. `error` is its code (RFC 6749, 4.1.2.1), such as `access_denied`. */
export class SignInDeclined extends Data.TaggedError("SignInDeclined")<{
  readonly message: string
  readonly error: string
}> {}

/** The user closed the window, or went back to the page from the server's. */
export class SignInAbandoned extends Data.TaggedError("SignInAbandoned")<{ readonly message: string }> {}

/**
 * The address that the page was opened with is no answer to a sign-in that was begun in this tab. Its code was not used.
 *
 * - `state`: not begun here, or answered before.
 * - `issuer`: another server answers than the one that was asked (RFC 9207).
 * - `late`: the sign-in was begun too long ago.
 * - `code`: no code, or one that the server does not take.
 */
export class ReturnInvalid extends Data.TaggedError("ReturnInvalid")<{
  readonly message: string
  readonly why: "state" | "issuer" | "late" | "code"
}> {}

/**
 * Signing in cannot work as it is set up here or on the server.
 *
 * - `unannounced`: nothing at the address says where to sign in, or how.
 * - `metadata`: what it says is not to be relied upon.
 * - `client`: the server does not take this client, or what it asks for; `error` is the server's code.
 * - `answer`: what the token endpoint answers is not a bearer token.
 */
export class ServerUnusable extends Data.TaggedError("ServerUnusable")<{
  readonly message: string
  readonly why: "unannounced" | "metadata" | "client" | "answer"
  readonly error?: string
}> {}

/** The server cannot be reached, or not from this page (CORS), or is overloaded. It may work another time. */
export class ServerUnreachable extends Data.TaggedError("ServerUnreachable")<{ readonly message: string }> {}

/**
 * - `insecure`: the page was not loaded over HTTPS (or from this machine), so that it has no cryptography.
 * - `storage`: the browser does not let the page use sessionStorage, which a redirect needs.
 * - `popup`: the browser opens no window: call `signInByPopup` when the user clicks.
 * - `redirectUri`: it is not an address of this page's origin.
 */
export class PageUnfit extends Data.TaggedError("PageUnfit")<{
  readonly message: string
  readonly why: "insecure" | "storage" | "popup" | "redirectUri"
}> {}
