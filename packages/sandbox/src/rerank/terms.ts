/** Words as ranking knows them: signs left out, the commonest English endings taken off. */
export const terms = (text: string): ReadonlyArray<string> =>
  (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).map((word) =>
    word.length > 4 ? word.replace(/(?:ing|ed|es|s)$/u, "") : word
  )
