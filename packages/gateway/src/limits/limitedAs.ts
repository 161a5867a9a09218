import type { Principal } from "../books/credential/Keys.ts"

/** Whose limits apply. A rotated key shares them with its successor. */
export const limitedAs = ({ account, key, rootKey }: Principal): string => rootKey ?? key ?? account
