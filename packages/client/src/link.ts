// Links a user's account on a platform.

export { type LinkError, LinkExpired, type LinkOptions, LinkUnusable } from "./workflows/link/link.ts"
export type { WithLinkOptions } from "./workflows/link/withLink.ts"
export { link, withLink } from "./promises/linkAccount.ts"
