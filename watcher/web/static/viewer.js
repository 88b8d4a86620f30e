// Without a fragment, bring what the link is about into view: the passage, or the change.
"use strict";
if (!location.hash) {
  const passage = document.querySelector("mark");
  if (passage) {
    passage.scrollIntoView({ block: "center" });
  } else {
    document.querySelector("[data-first]")?.scrollIntoView({ block: "nearest" });
  }
}
