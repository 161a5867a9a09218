/**
 * Of the operations that this client was made from, as the gateway reckons it: the digest of their document before any
 * operator's names and bindings. Written down, because to reckon it takes every operation; a test says when it is another.
 */
export const docsRevision = "0f04db2093d6bd1b167e9184a25571f5d26655d1d252f65dc9e4d525722188fa"
