// For programs that write effects: they install `effect` and `@tollgate/client` beside this package.

import { makeSignIn as signInOn, type SignIn } from "./signIn/makeSignIn.ts"
import type { Options } from "./signIn/Options.ts"
import { browser } from "./signIn/Page.ts"

export * from "@tollgate/client"
export { type BrowserOptions, createClient, layer } from "./Client.ts"
export type { SignIn }

/** Signing in with OAuth 2.1 (authorization code and PKCE), as effects. This sends no request yet. */
export const makeSignIn = (options: Options): SignIn => signInOn(browser, options)
