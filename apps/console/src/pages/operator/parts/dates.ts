const day = new Intl.DateTimeFormat(undefined, { dateStyle: "medium" })

export const dateOnly = (at: string): string => day.format(new Date(at))
