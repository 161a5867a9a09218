/** What is wrong with a label, if anything. */
export const labelProblem = (label: string): string | undefined =>
  label === ""
    ? "Enter a label."
    : /^\P{Cc}{1,200}$/u.test(label)
      ? undefined
      : "A label is one line of at most 200 characters."
