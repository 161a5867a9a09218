/** What is wrong with a note of the operator. */
export const noteProblem = (note: string): string | undefined =>
  /^\P{Cc}{0,500}$/u.test(note) ? undefined : "A note is one line of at most 500 characters."
