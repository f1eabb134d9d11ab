import { Document, visit } from "yaml";

/** A value as YAML for people. `comment` stands above it. */
export function yamlText(value: unknown, { comment }: { comment?: string } = {}): string {
  const document = new Document(value);
  if (comment !== undefined) document.commentBefore = ` ${comment}`;
  visit(document, {
    // Whoever reads 0 2 * * * without quotes wonders whether it is one value.
    Scalar: (key, node) => {
      if (key === "value" && typeof node.value === "string" && /^\S+( \S+)+$|\*/.test(node.value))
        node.type = node.value.includes('"') || node.value.includes("\\") ? "QUOTE_SINGLE" : "QUOTE_DOUBLE";
    },
  });
  return document.toString({ lineWidth: 0 });
}
