import { randomBytes } from "node:crypto"

// A client has one grant of an account, and signs in once on each device. What `oidc-provider` calls a grant is such a
// sign-in: its id begins with that of the grant.

const separator = "."

export const newSignIn = (grantId: string): string => `${grantId}${separator}${randomBytes(12).toString("base64url")}`

/** The grant of a sign-in. */
export const grantOf = (signIn: string): string => signIn.split(separator, 1)[0] ?? signIn
