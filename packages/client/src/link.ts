// Links a user's account on a platform.

export { type LinkError, LinkExpired, LinkUnusable } from "./after/link/link.ts"
export type { LinkOptions } from "./after/link/link.ts"
export type { WithLinkOptions } from "./after/link/withLink.ts"
export { link, withLink } from "./promises/linkAccount.ts"
