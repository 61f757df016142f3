// Reads answers of the API with the types that quicktype made for Go, without unknown fields, and writes them again.
package main

import (
	"encoding/json"
	"log"
	"os"
)

func main() {
	var answers Answers
	decoder := json.NewDecoder(os.Stdin)
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&answers); err != nil {
		log.Fatal(err)
	}
	if err := json.NewEncoder(os.Stdout).Encode(answers); err != nil {
		log.Fatal(err)
	}
}
