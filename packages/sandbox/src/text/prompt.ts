/** Tokens of a message in addition to its text. */
export const perMessage = 3

/** Tokens of an image or another part that is not text. No part has fewer bytes than this. */
export const perMedia = 8
