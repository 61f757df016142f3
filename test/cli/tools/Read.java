// Reads answers of the API with the classes that quicktype made for Jackson, as strictly as Jackson can, and writes them
// again. Dates and times are converted here: Debian has no jackson-datatype-jsr310.
import api.Answers;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.databind.*;
import com.fasterxml.jackson.databind.module.SimpleModule;
import java.io.IOException;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.time.format.DateTimeFormatter;
import java.util.function.Function;

class Read {
    static <T> SimpleModule text(Class<T> type, Function<String, T> read, Function<T, String> write) {
        return new SimpleModule(type.getName())
            .addDeserializer(type, new JsonDeserializer<T>() {
                public T deserialize(JsonParser parser, DeserializationContext context) throws IOException {
                    return read.apply(parser.getText());
                }
            })
            .addSerializer(type, new JsonSerializer<T>() {
                public void serialize(T value, JsonGenerator json, SerializerProvider provider) throws IOException {
                    json.writeString(write.apply(value));
                }
            });
    }

    public static void main(String[] arguments) throws IOException {
        ObjectMapper mapper = new ObjectMapper()
            .registerModule(text(LocalDate.class, LocalDate::parse, LocalDate::toString))
            .registerModule(text(OffsetDateTime.class, OffsetDateTime::parse, DateTimeFormatter.ISO_OFFSET_DATE_TIME::format))
            .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES, DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .disable(MapperFeature.ALLOW_COERCION_OF_SCALARS);
        mapper.writeValue(System.out, mapper.readValue(System.in, Answers.class));
    }
}
