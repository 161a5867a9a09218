/** Tokens that a message costs beside its text. */
export const perMessage = 3

/** Tokens of an image or another part that is not text. No more than the part has bytes, however short it is. */
export const perMedia = 8
