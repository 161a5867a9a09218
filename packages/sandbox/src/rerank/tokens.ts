/**
 * Words and single signs, words of more than eight letters in pieces of four: near what subword tokenizers make of
 * English, and never more tokens than the text has bytes.
 */
export const tokens = (text: string): ReadonlyArray<string> =>
  (text.toLowerCase().match(/[\p{L}\p{N}]+|[^\s\p{L}\p{N}]/gu) ?? []).flatMap((word) =>
    word.length <= 8 ? [word] : (word.match(/.{1,4}/gsu) ?? [])
  )

/** Words as ranking knows them: signs left out, the commonest English endings taken off. */
export const terms = (text: string): ReadonlyArray<string> =>
  (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).map((word) =>
    word.length > 4 ? word.replace(/(?:ing|ed|es|s)$/u, "") : word
  )
