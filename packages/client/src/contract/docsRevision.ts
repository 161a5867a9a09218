/**
 * Of the operations that this client was made from, as the gateway reckons it: the digest of their document before any
 * operator's names and bindings. Written down, because to reckon it takes every operation; a test says when it is another.
 */
export const docsRevision = "fdd9a9ce1ca4e5fb94bb6a2c4f4dbe2242d236b40a62e82237532c85a9e35a00"
