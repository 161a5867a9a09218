const names: Readonly<Record<string, string>> = {
  inference: "Conversations",
  generate_content: "Generate content",
  deep_research: "Deep research",
  image: "Images",
  video: "Videos"
}

/** The operations of a limit group, in words. */
export const groupName = (id: string): string => names[id] ?? id.replaceAll("_", " ")
