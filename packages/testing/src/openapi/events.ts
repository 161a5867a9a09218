/** The data of each server-sent event. Comments have none. */
export const eventsIn = (text: string): ReadonlyArray<string> =>
  text
    .split(/\r?\n\r?\n/)
    .map((event) =>
      event
        .split(/\r?\n/)
        .filter((line) => line.startsWith("data:"))
        .map((line) => line.slice(5).trimStart())
        .join("\n")
    )
    .filter((data) => data !== "")
